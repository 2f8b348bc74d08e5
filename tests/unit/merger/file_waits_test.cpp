// SPDX-License-Identifier: Apache-2.0
// Waits in collective calls on files, in small traces with known waits. Times are ns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analysed.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kFile = 0x700;

/// "rank 0 waits 30 in MPI_File_sync for rank 1's MPI_File_sync", in order of the calls.
std::vector<std::string> file_waits_of(SyntheticRun& run) {
  const auto outcome = run.merge(with_analyses());
  EXPECT_TRUE(outcome) << outcome.error().what;
  const auto trace = MergedTrace::open(run.merged());
  EXPECT_TRUE(trace) << trace.error().what;
  std::vector<EventWait> waits;
  EXPECT_TRUE(trace->waits(0, trace->events(), waits));
  std::vector<std::string> list;
  const auto name_of = [&](const MergedEvent& event) {
    return std::string{trace->definitions().call_name(event.call)};
  };
  for (const EventWait& wait : waits) {
    EXPECT_EQ(wait.kind, WaitKind::file);
    const auto here = trace->event(wait.row), causer = trace->event(wait.causer);
    list.push_back("rank " + std::to_string(here->rank) + " waits " + std::to_string(wait.ns) + " in " +
                   name_of(*here) + " for rank " + std::to_string(causer->rank) + "'s " + name_of(*causer));
  }
  return list;
}

void open(SyntheticRank& rank, At at, std::uint64_t file, const char* comm = "0000000044000000") {
  rank.thread().handle(CallId::File_open, at, file);
  rank.meta.texts.push_back({kFileNameKey, "/results", file, at.leave});
  rank.meta.texts.push_back({kFileCommKey, comm, file, at.leave});
}

/// All ranks have opened a file together.
struct RunWithFile : SyntheticRun {
  explicit RunWithFile(std::int32_t size) : SyntheticRun{size} {
    for (SyntheticRank& rank : ranks) open(rank, {1, 2}, kFile);
  }
};

TEST(FileWaits, RanksWaitAtACollectiveCallOnAFileForTheLast) {
  RunWithFile run{3};
  run[0]->handle(CallId::File_sync, {10, 45}, kFile);
  run[1]->handle(CallId::File_sync, {40, 44}, kFile);
  run[2]->handle(CallId::File_sync, {25, 46}, kFile);
  EXPECT_THAT(file_waits_of(run), ElementsAre("rank 0 waits 30 in MPI_File_sync for rank 1's MPI_File_sync",
                                              "rank 2 waits 15 in MPI_File_sync for rank 1's MPI_File_sync"));
}

TEST(FileWaits, ACallThatReturnsBeforeTheLastRankComesDoesNotWait) {
  RunWithFile run{2};
  run[0]->handle(CallId::File_sync, {10, 30}, kFile);
  run[1]->handle(CallId::File_sync, {40, 44}, kFile);
  EXPECT_THAT(file_waits_of(run), IsEmpty());
}

TEST(FileWaits, OpeningAndClosingAFileWaitForTheLastRank) {
  SyntheticRun run{2};
  open(run[0], {10, 35}, kFile);
  open(run[1], {30, 36}, kFile);
  run[0]->handle(CallId::File_close, {50, 72}, kFile);
  run[1]->handle(CallId::File_close, {70, 73}, kFile);
  EXPECT_THAT(file_waits_of(run), ElementsAre("rank 0 waits 20 in MPI_File_open for rank 1's MPI_File_open",
                                              "rank 0 waits 20 in MPI_File_close for rank 1's MPI_File_close"));
}

TEST(FileWaits, CallsOfOneRankOnlyAndTheEndOfASplitTransferHaveNoWaits) {
  RunWithFile run{2};
  run[0]->handle(CallId::File_seek, {10, 50}, kFile);
  run[1]->handle(CallId::File_seek, {40, 45}, kFile);
  run[0]->handle(CallId::File_write_all_end, {60, 90}, kFile);
  run[1]->handle(CallId::File_write_all_end, {80, 91}, kFile);
  EXPECT_THAT(file_waits_of(run), IsEmpty());
}

TEST(FileWaits, FilesThatAreOpenAtTheSameTimeAreCountedApart) {
  RunWithFile run{2};
  for (SyntheticRank& rank : run.ranks) open(rank, {3, 4}, kFile + 1);
  run[0]->handle(CallId::File_sync, {10, 25}, kFile + 1);
  run[0]->handle(CallId::File_sync, {30, 45}, kFile);
  run[1]->handle(CallId::File_sync, {20, 26}, kFile + 1);
  run[1]->handle(CallId::File_sync, {41, 46}, kFile);
  EXPECT_THAT(file_waits_of(run), ElementsAre("rank 0 waits 10 in MPI_File_sync for rank 1's MPI_File_sync",
                                              "rank 0 waits 11 in MPI_File_sync for rank 1's MPI_File_sync"));
}

TEST(FileWaits, AFileOfAnUnknownCommunicatorHasNone) {
  SyntheticRun run{2};
  for (SyntheticRank& rank : run.ranks) open(rank, {1, 2}, kFile, "no digits");
  run[0]->handle(CallId::File_sync, {10, 25}, kFile);
  run[1]->handle(CallId::File_sync, {20, 26}, kFile);
  EXPECT_THAT(file_waits_of(run), IsEmpty());
}

}  // namespace
}  // namespace meridian::test
