// SPDX-License-Identifier: Apache-2.0
// repair_causality on rank files: the way from ticks in a file to times.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "clocks/random_program.hpp"
#include "merger/repair/repair_causality.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct TestCall {
  std::uint64_t enter = 0;
  std::uint64_t leave = 0;
  std::uint8_t flags = 0;
};

EventBatch batch_of(const std::vector<TestCall>& calls) {
  EventBatch batch;
  for (const TestCall& call : calls) {
    batch.enter_ticks.push_back(call.enter);
    batch.leave_ticks.push_back(call.leave);
    batch.call.push_back(call_by_name("MPI_Comm_rank"));
    batch.payload.push_back(Payload::local);
    batch.flags.push_back(call.flags);
    batch.completion_count.push_back(0);
  }
  return batch;
}

class RepairOfRankFiles : public testing::Test {
 protected:
  /// Writes a rank file of these segments and opens it.
  void add_rank(std::int32_t rank, const std::vector<std::pair<std::uint32_t, std::vector<TestCall>>>& segments) {
    const auto path = directory_ / rank_file_name(rank);
    auto writer = RankFileWriter::create(path);
    ASSERT_TRUE(writer) << writer.error().what;
    for (const auto& [thread, calls] : segments) ASSERT_TRUE(writer->append(ThreadId{thread}, batch_of(calls)));
    RankMeta meta;
    meta.rank = rank;
    meta.size = 2;
    ASSERT_TRUE(writer->finish(meta));
    auto file = RankFile::open(path);
    ASSERT_TRUE(file) << file.error().what;
    files_.push_back(std::move(*file));
  }

  Result<Repaired> repair(const Clocks& clocks, const std::vector<MatchedMessage>& messages) {
    MERIDIAN_TRY(const auto scratch, TempFile::create(directory_.path()));
    auto message_spool = test::spool_of(messages, scratch);
    TempSpool<CollectivePart> parts{scratch};
    std::vector<RankFile*> ranks;
    for (RankFile& file : files_) ranks.push_back(&file);
    return repair_causality(ranks, clocks, message_spool, parts, scratch);
  }

  static std::vector<std::pair<std::int64_t, std::int64_t>> times(StreamTimes& stream) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const TimePair& pair : test::all_of(stream.times)) pairs.emplace_back(pair.enter_ns, pair.leave_ns);
    return pairs;
  }

  test::TempDir directory_;
  std::vector<RankFile> files_;
};

TEST_F(RepairOfRankFiles, PutsEveryThreadOfEveryRankOnTheGlobalClock) {
  add_rank(0, {{0, {{1000, 1100}, {1200, 1300}}}, {1, {{1150, 1160}}}, {0, {{1400, 1500}}}});
  add_rank(1, {{0, {{50, 60}, {70, 0, kFlagUnfinished}}}});
  Clocks clocks;
  clocks.maps = {ClockMap{1000, 0, 2ULL << kTickScaleBits}, ClockMap{0, 0, 1ULL << kTickScaleBits}};
  const MatchedMessage message{.send = {0, 0, 1}, .post = {1, 0, 0}, .completion = {1, 0, 0}};
  auto repaired = repair(clocks, {message});  // sent at 400, received at 60
  ASSERT_TRUE(repaired) << repaired.error().what;
  ASSERT_EQ(repaired->streams.size(), 3u);
  EXPECT_EQ(repaired->streams[1].rank, 0);
  EXPECT_EQ(repaired->streams[1].thread, 1u);
  EXPECT_THAT(times(repaired->streams[0]), ElementsAre(Pair(0, 200), Pair(400, 600), Pair(800, 1000)));
  EXPECT_THAT(times(repaired->streams[1]), ElementsAre(Pair(300, 320)));
  EXPECT_THAT(times(repaired->streams[2]), ElementsAre(Pair(391, 401), Pair(411, 411)));
  const auto messages = test::all_of(repaired->messages);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].send_enter_ns, 400);
  EXPECT_EQ(messages[0].post_enter_ns, 391);
  EXPECT_EQ(messages[0].receive_leave_ns, 401);
  EXPECT_EQ(repaired->moved, 2u);
  EXPECT_EQ(repaired->largest_move_ns, 341);
}

TEST_F(RepairOfRankFiles, ARankWithoutCallsIsPermitted) {
  add_rank(0, {});
  add_rank(1, {{0, {{50, 60}}}});
  Clocks clocks;
  clocks.maps.resize(2);
  auto repaired = repair(clocks, {});
  ASSERT_TRUE(repaired) << repaired.error().what;
  ASSERT_EQ(repaired->streams.size(), 1u);
  EXPECT_THAT(times(repaired->streams[0]), ElementsAre(Pair(50, 60)));
}

TEST_F(RepairOfRankFiles, LeavesNoFileBehind) {
  add_rank(0, {{0, {{50, 60}}}});
  Clocks clocks;
  clocks.maps.resize(1);
  ASSERT_TRUE(repair(clocks, {}));
  std::vector<std::filesystem::path> left;
  for (const auto& entry : std::filesystem::directory_iterator{directory_.path()})
    left.push_back(entry.path().filename());
  EXPECT_THAT(left, ElementsAre("rank-00000.h5"));
}

}  // namespace
}  // namespace meridian
