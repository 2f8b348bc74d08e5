// SPDX-License-Identifier: Apache-2.0
// Traces of several batches: waits equal those of a slow loop, and delays add up to the waits. Times are ns.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analysed.hpp"
#include "delay_sums.hpp"
#include "merged/merged_trace.hpp"
#include "merged_reader.hpp"
#include "synthetic_patterns.hpp"

namespace meridian::test {
namespace {

TEST(Delays, OfALongTraceAreAsLongAsItsWaits) {
  const TempDir directory;
  write_halo(directory.path(), 5, 1500);
  const auto outcome = merge(directory.path(), with_analyses());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_GT(sum_of_delays(outcome->summary), 0);
  EXPECT_EQ(sum_of_delays(outcome->summary), sum_of_waits(outcome->summary));
}

/// Enter and leave of an event, by the columns of the file.
struct Times {
  std::int64_t enter = 0, leave = 0;
};

TEST(WaitStates, OfALongTraceAreThoseOfASlowLoop) {
  const TempDir directory;
  write_halo(directory.path(), 3, 3'000);  // events of two batches
  ASSERT_TRUE(merge(directory.path()));
  const MergedReader columns{directory / "merged.h5"};
  std::vector<Times> times[3];  // [rank][sequence]
  std::size_t events = 0;
  for (const EventRow& row : columns.events()) {
    auto& of_rank = times[row.rank];
    of_rank.resize(std::max<std::size_t>(of_rank.size(), row.sequence + 1));
    of_rank[row.sequence] = {row.enter_ns, row.enter_ns + row.duration_ns};
    ++events;
  }
  ASSERT_GT(events, 65536u);
  const auto at = [&](const EventRef& call) { return times[call.rank].at(call.event); };

  std::map<EventRef, std::int64_t> latest;  // of the senders of a call's messages
  for (const MatchedMessage& message : columns.messages()) {
    std::int64_t& enter = latest[message.completion];
    enter = std::max(enter, at(message.send).enter);
  }
  std::int64_t late_sender = 0, all_to_all = 0;
  const auto wait = [&](const EventRef& call, std::int64_t until) {
    return std::max<std::int64_t>(0, std::min(until, at(call).leave) - at(call).enter);
  };
  for (const auto& [call, enter] : latest) late_sender += wait(call, enter);
  std::map<std::uint64_t, std::int64_t> last;  // enter of each instance
  for (const CollectivePart& part : columns.collectives())
    last[part.instance] = std::max(last[part.instance], at(part.start).enter);
  for (const CollectivePart& part : columns.collectives()) all_to_all += wait(part.completion, last[part.instance]);

  const auto trace = MergedTrace::open(directory / "merged.h5");
  ASSERT_TRUE(trace);
  Summary summary;
  ASSERT_TRUE(run_analyses(*trace, summary));
  std::map<std::string, double> found;
  for (const WaitSummary& row : summary.waits) found[row.pattern] += row.total_s;
  EXPECT_EQ(ns(found["late sender"] + found["wrong order, same source"] + found["wrong order, other sources"]),
            late_sender);
  EXPECT_EQ(ns(found["wait at N x N"]), all_to_all);
  EXPECT_GT(late_sender, 0);
  EXPECT_GT(all_to_all, 0);
}

}  // namespace
}  // namespace meridian::test
