// SPDX-License-Identifier: Apache-2.0
// Analyses of merged traces, compared with slow loops over the merged file's columns.

#include "analysed.hpp"
#include "analysis/analyses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "merged/merged_trace.hpp"
#include "merged_reader.hpp"
#include "synthetic_patterns.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using Sizes = std::map<std::pair<std::string, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>>;

std::uint64_t bin_of(std::uint64_t bytes) {
  std::uint64_t at_least = 0;
  for (std::uint64_t bound = 1; bound != 0 && bound <= bytes; bound *= 2) at_least = bound;
  return at_least;
}

Sizes sizes_of(const Summary& summary) {
  Sizes sizes;
  for (const SizeSummary& row : summary.communication_sizes)
    sizes[{row.group, row.at_least_bytes}] = {row.count, row.bytes};
  EXPECT_EQ(sizes.size(), summary.communication_sizes.size());
  return sizes;
}

TEST(CommunicationSizes, AreCountedByGroupAndPowerOfTwo) {
  SyntheticRun run{2};
  std::uint64_t t = 100;
  for (const std::int64_t bytes : {0, 1, 2, 3, 4, 1023, 1024, 1025}) {
    run[0]->send({t, t + 10}, 1, 1, bytes);
    run[1]->receive({t, t + 20}, 0, 1, bytes);
    t += 100;
  }
  for (std::size_t r = 0; r < 2; ++r) run[r]->collective(CallId::Barrier, {t, t + 50});
  for (std::size_t r = 0; r < 2; ++r) run[r]->collective(CallId::Allreduce, {t + 100, t + 150}, 8, 8);
  ASSERT_TRUE(run.merge());
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  Summary summary;
  ASSERT_TRUE(run_analyses(*trace, summary));
  const Sizes expected{{{"p2p", 0}, {1, 0}},  {{"p2p", 1}, {1, 1}},      {{"p2p", 2}, {2, 5}},
                       {{"p2p", 4}, {1, 4}},  {{"p2p", 512}, {1, 1023}}, {{"p2p", 1024}, {2, 2049}},
                       {{"coll", 0}, {2, 0}}, {{"coll", 16}, {2, 32}}};
  EXPECT_EQ(sizes_of(summary), expected);
}

TEST(CommunicationSizes, AreThoseOfASlowLoop) {
  const TempDir directory;
  write_halo(directory.path(), 3, 300);
  ASSERT_TRUE(merge(directory.path()));
  const MergedReader columns{directory / "merged.h5"};
  Sizes expected;
  const auto add = [&](const char* group, std::uint64_t bytes) {
    auto& [count, sum] = expected[{group, bin_of(bytes)}];
    ++count;
    sum += bytes;
  };
  for (const MatchedMessage& message : columns.messages()) add("p2p", message.bytes);
  std::map<EventRef, std::uint64_t> sent;
  for (const EventRow& row : columns.events()) sent[{row.rank, row.thread, row.sequence}] = row.bytes_sent;
  for (const CollectivePart& part : columns.collectives()) add("coll", sent.at(part.start));
  const auto trace = MergedTrace::open(directory / "merged.h5");
  ASSERT_TRUE(trace);
  Summary summary;
  ASSERT_TRUE(run_analyses(*trace, summary));
  EXPECT_EQ(sizes_of(summary), expected);
}

TEST(Analyses, ReportTheirProgressFromBeginningToEnd) {
  const TempDir directory;
  write_halo(directory.path(), 3, 2000);
  ASSERT_TRUE(merge(directory.path()));
  const auto trace = MergedTrace::open(directory / "merged.h5");
  ASSERT_TRUE(trace);
  Summary summary;
  std::vector<double> parts;
  ASSERT_TRUE(run_analyses(*trace, summary, nullptr, [&](double part) { parts.push_back(part); }));
  EXPECT_TRUE(std::ranges::is_sorted(parts));
  EXPECT_GT(parts.size(), trace->events() / 256);
  EXPECT_GE(parts.front(), 0.0);
  EXPECT_EQ(parts.back(), 1.0);
}

TEST(CommunicationSizes, AreInTheFileThatMergeWrites) {
  const TempDir directory;
  write_halo(directory.path(), 3, 50);
  const auto outcome = merge(directory.path(), with_analyses());
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_FALSE(outcome->summary.communication_sizes.empty());
  const MergedReader columns{directory / "merged.h5"};
  const std::string in = "summary/communication_sizes/";
  std::vector<std::uint64_t> counts;
  for (const SizeSummary& row : outcome->summary.communication_sizes) counts.push_back(row.count);
  EXPECT_EQ(columns.column<std::uint64_t>(in + "count"), counts);
  EXPECT_EQ(columns.strings(in + "group").front(), outcome->summary.communication_sizes.front().group);
}

}  // namespace
}  // namespace meridian::test
