// SPDX-License-Identifier: Apache-2.0
// Events, messages and figures of edited traces. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analysed.hpp"
#include "edit/later_calls.hpp"
#include "edit/write_edit.hpp"
#include "merged/merged_trace.hpp"
#include "merged_reader.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kLimitNs = 10;

EditOptions described(std::string description) {
  EditOptions options;
  options.description = std::move(description);
  options.analyse = with_analyses().analyse;
  return options;
}

EditCounts edited(const fs::path& merged, const fs::path& output, EventEdit& edit, const std::string& description) {
  auto trace = StoredTrace::open(merged);
  if (!trace) throw std::runtime_error(trace.error().what);
  auto counts = write_edit(*trace, output, edit, described(description));
  if (!counts) throw std::runtime_error(counts.error().what);
  return *counts;
}

EditCounts selected(const fs::path& merged, const fs::path& output, const TraceSelection& selection) {
  const auto trace = MergedTrace::open(merged);
  if (!trace) throw std::runtime_error(trace.error().what);
  auto choice = EventChoice::make(*trace, selection, merged.parent_path(), {});
  if (!choice) throw std::runtime_error(choice.error().what);
  SelectEvents edit{*std::move(choice)};
  return edited(merged, output, edit, "filter");
}

EditCounts fused(const fs::path& merged, const fs::path& output) {
  auto scratch = TempFile::create(output.parent_path());
  if (!scratch) throw std::runtime_error(scratch.error().what);
  FuseEvents edit{kLimitNs, *scratch};
  return edited(merged, output, edit, "aggregate");
}

Summary summary_of(const fs::path& merged) {
  auto summary = MergedTrace::read_summary(merged);
  if (!summary) throw std::runtime_error(summary.error().what);
  return *std::move(summary);
}

void merge(SyntheticRun& run) {
  const auto outcome = run.merge(with_analyses());
  if (!outcome) throw std::runtime_error(outcome.error().what);
}

std::vector<std::int64_t> enters(const fs::path& merged) {
  std::vector<std::int64_t> times;
  for (const EventRow& row : MergedReader{merged}.events()) times.push_back(row.enter_ns);
  return times;
}

/// Their rows are compared one by one where whole programs are edited.
void expect_same_facts(const fs::path& one, const fs::path& other) {
  const MergedReader a{one}, b{other};
  EXPECT_EQ(enters(one), enters(other));
  for (const char* const name : {"messages/send_step", "messages/completion", "messages/post", "messages/by_post",
                                 "messages/by_completion", "parts/start_step", "parts/by_start", "index/sequence"})
    EXPECT_EQ(a.column<std::int64_t>(name), b.column<std::int64_t>(name)) << name;
  const Summary was = summary_of(one), is = summary_of(other);
  EXPECT_EQ(was.run.calls, is.run.calls);
  EXPECT_EQ(was.run.time_s, is.run.time_s);
  EXPECT_EQ(was.messages.bytes, is.messages.bytes);
  EXPECT_EQ(was.ranks[0].mpi_s, is.ranks[0].mpi_s);
  EXPECT_EQ(was.waits.size(), is.waits.size());
  EXPECT_EQ(was.findings.size(), is.findings.size());
}

const FunctionSummary& function(const Summary& summary, const std::string& name) {
  const auto found = std::ranges::find(summary.functions, name, &FunctionSummary::name);
  if (found == summary.functions.end()) throw std::runtime_error("no " + name);
  return *found;
}

/// Rank 0 sends five short messages in a row, which rank 1 receives much later.
void five_sends(SyntheticRun& run, const std::vector<At>& sends) {
  std::int32_t tag = 0;
  for (const At at : sends) run[0]->send(at, 1, tag++, 8);
  for (std::int32_t i = 0; i < tag; ++i)
    run[1]->receive({static_cast<std::uint64_t>(1000 + i * 10), static_cast<std::uint64_t>(1005 + i * 10)}, 0, i, 8);
}

TEST(Edit, KeepsTheOtherEndOfAMessageAndDropsTheRest) {
  SyntheticRun run{2};
  run[0]->send({100, 110}, 1, 1, 8);
  run[0]->send({300, 310}, 1, 2, 16);
  run[1]->receive({150, 160}, 0, 1, 8);
  run[1]->receive({350, 360}, 0, 2, 16);
  merge(run);
  const fs::path output = run.directory / "part.h5";
  const EditCounts counts = selected(run.merged(), output, {.from_ns = 0, .to_ns = 20});
  EXPECT_EQ(counts.events, 2u);
  EXPECT_EQ(counts.messages, 1u);
  EXPECT_THAT(enters(output), ElementsAre(0, 50));
  ASSERT_EQ(MergedReader{output}.messages().size(), 1u);
  const Summary summary = summary_of(output);
  EXPECT_EQ(summary.messages.matched, 1u);
  EXPECT_EQ(summary.messages.bytes, 8u);
  EXPECT_EQ(summary.run.calls, 2u);
  EXPECT_EQ(ns(summary.run.time_s), 60);
  EXPECT_EQ(summary.ranks[1].messages_received, 1u);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].name, "edit.left_out");
  EXPECT_EQ(summary.findings[0].count, 2u);
  EXPECT_EQ(summary.findings[0].detail, "filter left out 2 events, 1 messages, 0 collectives");
}

EditCounts later(const fs::path& merged, const fs::path& output, std::int64_t from_ns) {
  LaterCalls edit{from_ns};
  return edited(merged, output, edit, "merge");
}

std::optional<std::int64_t> common_begin(const SyntheticRun& run) {
  const auto trace = StoredTrace::open(run.merged());
  if (!trace) throw std::runtime_error(trace.error().what);
  const auto found = find_common_begin(*trace);
  if (!found) throw std::runtime_error(found.error().what);
  return *found;
}

TEST(Edit, LastPartsBeginTogetherWithTheRankThatBeginsLast) {
  SyntheticRun run{2};
  run[0]->send({100, 110}, 1, 1, 8);
  run[0]->call(CallId::Comm_rank, {400, 500});
  run[0]->call(CallId::Comm_rank, {505, 525});  // under way at the begin
  run[0]->send({600, 610}, 1, 2, 16);
  run[1]->receive({520, 530}, 0, 1, 8);  // of a message that was sent before
  run[1]->receive({650, 660}, 0, 2, 16);
  merge(run);
  ASSERT_EQ(common_begin(run), 420);  // from the first event
  const fs::path output = run.directory / "part.h5";
  const EditCounts counts = later(run.merged(), output, 420);
  EXPECT_EQ(counts.events, 2u);
  EXPECT_EQ(counts.messages, 1u);
  EXPECT_THAT(enters(output), ElementsAre(405, 420, 500, 550));
  EXPECT_EQ(summary_of(output).messages.matched, 1u);
}

TEST(Edit, LastPartsStayAsTheyAreIfARankEndsBeforeAnotherBeginsOrAllBeginAlike) {
  SyntheticRun run{2};
  run[0]->call(CallId::Comm_rank, {100, 200});
  run[0]->call(CallId::Comm_rank, {300, 400});
  run[1]->call(CallId::Comm_rank, {400, 500});
  merge(run);
  EXPECT_EQ(common_begin(run), std::nullopt);
  SyntheticRun alike{2};
  alike[0]->call(CallId::Comm_rank, {100, 200});
  alike[1]->call(CallId::Comm_rank, {150, 250});
  merge(alike);
  EXPECT_EQ(common_begin(alike), std::nullopt);
}

TEST(Edit, OfAPartOfTheTimeItIsNotKnownHowLongProcessesWereReady) {
  SyntheticRun run{1};
  for (const std::uint64_t begin : {100U, 300U, 500U}) run[0]->call(CallId::Comm_rank, {begin, begin + 100});
  const auto kind = [](UsageKind of) { return static_cast<std::uint32_t>(of); };
  run[0].meta.usages = {{100, {.kind = kind(UsageKind::process_begin), .ready_us = 1}},
                        {600, {.kind = kind(UsageKind::process_end), .ready_us = 3}}};
  merge(run);
  const auto ready_s = [](const fs::path& merged) { return summary_of(merged).usage.at(0).ready_s; };
  EXPECT_EQ(ready_s(run.merged()), 2e-6);
  const fs::path output = run.directory / "part.h5";
  later(run.merged(), output, 0);
  EXPECT_EQ(ready_s(output), 2e-6);
  later(run.merged(), output, 200);
  EXPECT_EQ(ready_s(output), 0);
}

TEST(Edit, CallsThatAreGoneAreMissingInTheirThread) {
  SyntheticRun run{1};
  run[0]->call(CallId::Barrier, {10, 20});
  run[0]->call(CallId::Comm_rank, {30, 40});
  run[0]->call(CallId::Barrier, {50, 60});
  merge(run);
  const fs::path output = run.directory / "part.h5";
  selected(run.merged(), output, {.functions = "MPI_Barrier"});
  const auto events = MergedReader{output}.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].sequence, 0u);
  EXPECT_EQ(events[1].sequence, 2u);
  std::int64_t unknown_ns = 0;
  for (const StateSummary& state : summary_of(output).states)
    if (state.state == "unknown") unknown_ns += ns(state.total_s);
  EXPECT_EQ(unknown_ns, 30);  // between the barriers
}

TEST(Edit, ThatKeepsEverythingHasTheSameFacts) {
  SyntheticRun run{2};
  five_sends(run, {{10, 15}, {16, 20}, {50, 55}});
  run[0]->collective(CallId::Barrier, {2000, 2100});
  run[1]->collective(CallId::Barrier, {2050, 2100});
  merge(run);
  const fs::path output = run.directory / "part.h5";
  const EditCounts counts = selected(run.merged(), output, {});
  EXPECT_EQ(counts.events + counts.messages + counts.collectives, 0u);
  expect_same_facts(run.merged(), output);
}

TEST(Edit, AddsToTheFindingOfAnEditBefore) {
  SyntheticRun run{1};
  for (std::uint64_t i = 0; i < 10; ++i) run[0]->call(CallId::Comm_rank, {100 * i + 10, 100 * i + 20});
  merge(run);
  const fs::path first = run.directory / "first.h5", second = run.directory / "second.h5";
  selected(run.merged(), first, {.to_ns = 700});
  selected(first, second, {.from_ns = 400});
  const Summary summary = summary_of(second);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].count, 3u + 4u);
  EXPECT_EQ(summary.run.calls, 3u);
}

TEST(FuseEvents, MakesOneEventOfShortCallsThatFollowOneAnother) {
  SyntheticRun run{2};
  five_sends(run, {{10, 15}, {16, 20}, {22, 30}, {60, 65}, {66, 90}});  // a long gap, then a long call
  merge(run);
  const fs::path output = run.directory / "few.h5";
  EXPECT_EQ(fused(run.merged(), output).fused, 2u);
  const auto events = MergedReader{output}.events();
  ASSERT_EQ(events.size(), 3u + 5u);
  EXPECT_EQ(events[0].duration_ns, 20);
  EXPECT_EQ(events[0].bytes_sent, 24u);
  EXPECT_EQ(events[0].peer, 1);
  EXPECT_EQ(events[0].tag, -1);
  EXPECT_EQ(MergedReader{output}.event_column<std::int64_t>("calls")[0], 3);
  EXPECT_EQ(MergedReader{output}.event_column<std::int64_t>("outside_ns")[0], 3);
  EXPECT_EQ(events[1].sequence, 1u);  // nothing is missing
  const auto messages = MergedReader{output}.messages();
  ASSERT_EQ(messages.size(), 5u);
  for (std::int32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(messages[static_cast<std::size_t>(i)].tag, i);
    EXPECT_EQ(messages[static_cast<std::size_t>(i)].bytes, 8u);
  }
}

TEST(FuseEvents, KeepsNumbersBytesAndTimesOfFunctions) {
  SyntheticRun run{2};
  five_sends(run, {{10, 15}, {16, 20}, {22, 30}, {60, 65}, {66, 90}});
  merge(run);
  const fs::path output = run.directory / "few.h5", again = run.directory / "again.h5";
  fused(run.merged(), output);
  selected(output, again, {.ranks = {{0, 1}}});  // from the events that stand for several
  const FunctionSummary whole = function(summary_of(run.merged()), "MPI_Send");
  for (const fs::path& path : {output, again}) {
    const Summary summary = summary_of(path);
    const FunctionSummary few = function(summary, "MPI_Send");
    EXPECT_EQ(few.count, whole.count);
    EXPECT_EQ(ns(few.total_s), ns(whole.total_s));
    EXPECT_EQ(few.bytes_sent, whole.bytes_sent);
    EXPECT_EQ(summary.run.calls, 10u);
    ASSERT_FALSE(summary.communicators.empty());
    EXPECT_EQ(summary.communicators[0].bytes_sent, 40u);
    EXPECT_EQ(summary.findings.at(0).name, "edit.fused");
    EXPECT_EQ(summary.findings.at(0).count, 2u);
  }
  EXPECT_EQ(ns(function(summary_of(output), "MPI_Send").min_s), 4);  // of the single calls
}

TEST(FuseEvents, LeavesCallsAloneOnWhichAnOrderOrAWaitRests) {
  SyntheticRun run{2};
  run[0]->receive({10, 12}, 1, 1, 8);
  run[0]->receive({13, 14}, 1, 2, 8);
  run[1]->send({1, 2}, 0, 1, 8);
  run[1]->call(CallId::Comm_rank, {3, 4});
  run[1]->send({5, 6}, 0, 2, 8);
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}})
    for (std::uint64_t i = 0; i < 3; ++i) run[rank]->collective(CallId::Barrier, {20 + i * 3, 22 + i * 3});
  merge(run);
  EXPECT_EQ(fused(run.merged(), run.directory / "few.h5").fused, 0u);
  EXPECT_THAT(summary_of(run.directory / "few.h5").findings, IsEmpty());
}

TEST(SortEvents, LeavesAMergedFileAsItIs) {
  SyntheticRun run{2};
  five_sends(run, {{10, 15}, {16, 20}, {1000, 1020}});
  merge(run);
  auto scratch = TempFile::create(run.directory.path());
  ASSERT_TRUE(scratch);
  SortEvents edit{*scratch};
  const fs::path output = run.directory / "sorted.h5";
  EXPECT_EQ(edited(run.merged(), output, edit, "sort").moved, 0u);
  expect_same_facts(run.merged(), output);
}

}  // namespace
}  // namespace meridian::test
