// SPDX-License-Identifier: Apache-2.0
#include "trace/records/profile/call_profile.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/ring_producer.hpp"
#include "trace/model/log_ranges.hpp"
#include "trace/records/batch_builder.hpp"
#include "trace/records/profile/short_calls.hpp"

namespace meridian {
namespace {

using namespace test;

constexpr std::uint64_t kWorld = 0x44, kHandle = 0x84, kRequest = 0x100;

/// A rank of four, and its profile.
struct Profiled {
  RankMeta meta;
  CallProfile profile{meta};

  Profiled() { add_comm(kWorld, 4, 0); }
  void add_comm(std::uint64_t handle, std::int32_t size, std::uint64_t leave_ticks) {
    CommRow row;
    row.birth.comm = handle;
    row.birth.local_size = size;
    row.birth.local_rank = 1;
    row.leave_ticks = leave_ticks;
    meta.comms.push_back(row);
  }
  /// Returns the number of events that it stays.
  std::size_t take(const Words& words, std::uint32_t thread = 0, const std::vector<Completion>& completions = {}) {
    BatchBuilder builder;
    const Record call{load_words<RecordHead>(words.data()), words};
    builder.begin_event(call.head);
    builder.add_row(call, {});
    EventBatch batch = builder.batch();
    batch.completions = completions;
    batch.completion_count[0] = static_cast<std::uint32_t>(completions.size());
    return profile.take(ThreadId{thread}, batch).call.size();
  }
  const ProfileCallRow& row_of(CallId call) {
    rows_ = profile.rows();
    for (const ProfileCallRow& row : rows_.calls)
      if (row.call == static_cast<std::uint32_t>(call)) return row;
    ADD_FAILURE() << "the call has no row";
    static const ProfileCallRow kNone;
    return kNone;
  }

 private:
  RankProfile rows_;
};

PointToPoint to(std::int32_t peer, std::int64_t count, std::uint64_t request = 0) {
  return {kWorld, peer, 7, count, 8, 0, request};
}
Words isend(std::int32_t peer, std::int64_t count) {
  return record(CallId::Isend, Payload::p2p, 10, 20, {}, 0, to(peer, count, kRequest));
}
Words irecv(std::uint64_t request) { return record(CallId::Irecv, Payload::p2p, 10, 20, {}, 0, to(2, 100, request)); }
void wait_for(Profiled& rank, const std::vector<Completion>& completions, std::uint32_t thread = 0) {
  rank.take(record(CallId::Waitall, Payload::requests, 30, 40, {}, 0), thread, completions);
}
Words allreduce(std::uint64_t comm, std::uint64_t enter) {
  Collective part;
  part.comm = comm;
  part.send_bytes = 8;
  return record(CallId::Allreduce, Payload::coll, enter, enter + 5, {}, 0, part);
}

TEST(CallProfile, AddsUpCallsOfOneFunction) {
  Profiled rank;
  EXPECT_EQ(rank.take(local_record(CallId::Wtime, 100, 103)), 0u);
  EXPECT_EQ(rank.take(local_record(CallId::Wtime, 200, 250)), 0u);
  const ProfileCallRow row = rank.row_of(CallId::Wtime);
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.ticks, 53u);
  EXPECT_EQ(row.least_ticks, 3u);
  EXPECT_EQ(row.most_ticks, 50u);
  EXPECT_TRUE(row.squares.value() == 9 + 2500);
  const RankProfile rows = rank.profile.rows();
  ASSERT_EQ(rows.times.size(), 2u);
  EXPECT_EQ(rows.times[0].range, 3u);
  EXPECT_EQ(rows.times[1].range, LogRanges::of(50));
}

TEST(CallProfile, KeepsTheEndsOfMpiAndCallsThatNeverReturnedAsEvents) {
  Profiled rank;
  EXPECT_EQ(rank.take(local_record(CallId::Init, 1, 2)), 1u);
  EXPECT_EQ(rank.take(local_record(CallId::Finalize, 3, 4)), 1u);
  EXPECT_EQ(rank.take(record(CallId::Recv, Payload::p2p, 5, 5, {}, kFlagUnfinished, to(2, 1))), 1u);
  EXPECT_TRUE(rank.profile.rows().calls.empty());
  EXPECT_EQ(rank.profile.calls(), 0u);
}

TEST(CallProfile, CountsMessagesByReceiverAndSize) {
  Profiled rank;
  rank.take(isend(2, 1));
  rank.take(isend(2, 3));
  rank.take(isend(3, 0));
  rank.take(isend(kProcNull, 9));
  const RankProfile rows = rank.profile.rows();
  ASSERT_EQ(rows.peers.size(), 2u);
  EXPECT_EQ(rows.peers[0].peer, 2);
  EXPECT_EQ(rows.peers[0].messages, 2u);
  EXPECT_EQ(rows.peers[0].bytes, 32u);
  EXPECT_EQ(rows.peers[1].messages, 1u);
  ASSERT_EQ(rows.sizes.size(), 3u);
  EXPECT_EQ(rows.sizes[0].size_class, 0u);
  EXPECT_EQ(rows.sizes[1].size_class, 4u);
  EXPECT_EQ(rows.sizes[2].size_class, 5u);
  EXPECT_EQ(rank.row_of(CallId::Isend).bytes_sent, 32u);
}

TEST(CallProfile, BytesOfRequestsBelongToTheCallThatCompletesThem) {
  Profiled rank;
  rank.take(irecv(kRequest));
  rank.take(irecv(kRequest + 8));
  wait_for(rank, {{kRequest, 2, 7, 24}, {kRequest + 8, 2, 7, 16}, {kRequest + 16, 2, 7, 99}});
  wait_for(rank, {{kRequest, 2, 7, 24}});  // it is complete already: another request with its handle
  EXPECT_EQ(rank.row_of(CallId::Waitall).bytes_received, 40u);
  EXPECT_EQ(rank.row_of(CallId::Waitall).comm, 0u) << "several messages are about no communicator";
}

TEST(CallProfile, EachStartOfAPersistentRequestIsAMessage) {
  Profiled rank;
  rank.take(record(CallId::Send_init, Payload::p2p, 1, 2, {}, 0, to(3, 4, kRequest)));
  for (int i = 0; i < 3; ++i) {
    rank.take(record(CallId::Start, Payload::requests, 3, 4, {}, 0), 0, {{kRequest, 0, 0, 0}});
    wait_for(rank, {{kRequest, 0, 0, 0}});
  }
  EXPECT_EQ(rank.row_of(CallId::Start).bytes_sent, 96u);
  EXPECT_EQ(rank.row_of(CallId::Start).comm, kWorld);
  ASSERT_EQ(rank.profile.rows().peers.size(), 1u);
  EXPECT_EQ(rank.profile.rows().peers[0].messages, 3u);
}

TEST(CallProfile, ARequestOfTheSameThreadGoesBeforeOneWithItsHandle) {
  Profiled rank;
  rank.take(irecv(kRequest), 1);
  rank.take(irecv(kRequest), 2);
  wait_for(rank, {{kRequest, 2, 7, 24}}, 1);
  wait_for(rank, {{kRequest, 2, 7, 16}}, 2);
  std::uint64_t bytes = 0;
  for (const ProfileCallRow& row : rank.profile.rows().calls) bytes += row.bytes_received;
  EXPECT_EQ(bytes, 40u);
}

TEST(CallProfile, AHandleMeansTheCommunicatorThatWasMadeLastBefore) {
  Profiled rank;
  rank.add_comm(kHandle, 2, 50);
  rank.take(allreduce(kHandle, 60));
  rank.add_comm(kHandle, 3, 100);
  rank.take(allreduce(kHandle, 110));
  const RankProfile rows = rank.profile.rows();
  ASSERT_EQ(rows.calls.size(), 2u);
  EXPECT_EQ(rows.calls[0].bytes_sent, 16u);
  EXPECT_EQ(rows.calls[1].bytes_sent, 24u);
  EXPECT_EQ(rows.calls[1].seen_ticks, 110u);
}

TEST(CallProfile, PollsOfAPhaseCountOneByOne) {
  Profiled rank;
  PollUse polls;
  polls.calls = 10;
  polls.inside_ticks = 50;
  BatchBuilder builder;
  builder.begin_event(
      RecordHead{.header = {.call = static_cast<std::uint16_t>(CallId::Test)}, .enter_ticks = 0, .leave_ticks = 400});
  EventBatch batch = builder.batch();
  batch.payload[0] = Payload::polls;
  batch.polls.push_back(polls);
  EXPECT_TRUE(rank.profile.take(ThreadId{0}, batch).call.empty());
  const ProfileCallRow row = rank.row_of(CallId::Test);
  EXPECT_EQ(row.calls, 10u);
  EXPECT_EQ(row.ticks, 50u);
  EXPECT_EQ(row.most_ticks, 5u);
  EXPECT_TRUE(row.squares.value() == 250);
}

TEST(CallProfile, DoesNotGrowBeyondItsRows) {
  Profiled rank;
  BatchBuilder builder;
  EventBatch batch;
  for (std::uint64_t i = 0; i < 2 * CallProfile::kMostRows; ++i) {
    batch.enter_ticks.push_back(i);
    batch.leave_ticks.push_back(i + 1);
    batch.call.push_back(CallId::Wtime);
    batch.payload.push_back(Payload::local);
    batch.flags.push_back(kFlagSite);
    batch.completion_count.push_back(0);
    batch.sites.push_back(0x400000 + i);
  }
  rank.profile.take(ThreadId{0}, batch);
  const RankProfile rows = rank.profile.rows();
  EXPECT_EQ(rows.calls.size(), CallProfile::kMostRows + 1);
  EXPECT_EQ(rows.calls.front().site, 0u);
  EXPECT_EQ(rows.calls.front().calls, CallProfile::kMostRows);
}

TEST(CallProfile, GoesOnFromItsState) {
  Profiled one, two;
  const auto first = [](Profiled& rank) {
    rank.take(isend(2, 1));
    rank.take(irecv(kRequest));
    rank.take(allreduce(kWorld, 60));
  };
  first(one);
  StateWriter writer;
  one.profile.save(writer);
  StateReader reader{writer.bytes()};
  ASSERT_TRUE(two.profile.restore(reader));
  for (Profiled* rank : {&one, &two}) {
    rank->take(isend(2, 1));
    wait_for(*rank, {{kRequest, 2, 7, 24}});
  }
  for (const CallId call : {CallId::Isend, CallId::Irecv, CallId::Allreduce, CallId::Waitall}) {
    EXPECT_EQ(one.row_of(call).calls, two.row_of(call).calls);
    EXPECT_EQ(one.row_of(call).bytes_received, two.row_of(call).bytes_received);
  }
  EXPECT_EQ(two.row_of(CallId::Waitall).bytes_received, 24u);
  EXPECT_EQ(two.profile.rows().peers.at(0).messages, 2u);
  EXPECT_EQ(one.profile.calls(), two.profile.calls());
}

TEST(CallProfile, RefusesAStateThatIsCut) {
  Profiled rank;
  rank.take(isend(2, 1));
  rank.take(irecv(kRequest));
  StateWriter writer;
  rank.profile.save(writer);
  for (std::size_t bytes = 0; bytes < writer.bytes().size(); ++bytes) {
    Profiled other;
    StateReader reader{std::span{writer.bytes()}.first(bytes)};
    EXPECT_FALSE(other.profile.restore(reader)) << bytes;
  }
}

/// How many of `count` calls with this duration, from `site`, are for the sums.
std::size_t summed(ShortCalls& calls, CallId call, std::uint64_t site, std::size_t count, std::uint64_t ticks) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    BatchEvent event;
    event.call = call;
    event.payload = Payload::local;
    event.site = site;
    event.leave_ticks = ticks;
    all += calls.take(event) ? 1 : 0;
  }
  return all;
}

TEST(ShortCalls, BecomeSumsAfterTheirLimit) {
  ShortCalls calls;
  calls.set_limit(10, 1'000'000'000);
  EXPECT_EQ(summed(calls, CallId::Wtime, 1, 25, 999), 15u);
  EXPECT_EQ(summed(calls, CallId::Wtime, 2, 10, 999), 0u) << "another place";
  EXPECT_EQ(summed(calls, CallId::Comm_rank, 3, 25, 1000), 0u) << "a microsecond is not short";
  EXPECT_EQ(calls.describe(), "MPI_Wtime 15");
}

TEST(ShortCalls, CallsThatOthersDependOnAreKept) {
  ShortCalls calls;
  calls.set_limit(1, 1'000'000'000);
  for (const CallId call : {CallId::Isend, CallId::Test, CallId::Allreduce, CallId::Finalize,
                            CallId::pthread_mutex_lock, CallId::Comm_free})
    EXPECT_EQ(summed(calls, call, 1, 5, 1), 0u) << info(call).name;
}

TEST(ShortCalls, GoOnFromTheirState) {
  ShortCalls calls, others;
  calls.set_limit(10, 1'000'000'000);
  others.set_limit(10, 1'000'000'000);
  EXPECT_EQ(summed(calls, CallId::Wtime, 1, 9, 1), 0u);
  StateWriter writer;
  calls.save(writer);
  StateReader reader{writer.bytes()};
  ASSERT_TRUE(others.restore(reader));
  EXPECT_EQ(summed(others, CallId::Wtime, 1, 3, 1), 2u);
}

}  // namespace
}  // namespace meridian
