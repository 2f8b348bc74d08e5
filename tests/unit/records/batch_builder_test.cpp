// SPDX-License-Identifier: Apache-2.0
#include "trace/records/batch_builder.hpp"

#include <gtest/gtest.h>

#include "tests/support/ring_producer.hpp"

namespace meridian {
namespace {

using namespace test;

Record whole(const Words& words) { return {load_words<RecordHead>(words.data()), words}; }

void add(BatchBuilder& builder, const Words& words, std::span<const std::uint64_t> values = {}) {
  builder.begin_event(whole(words).head);
  builder.add_row(whole(words), values);
}

Words completion_words(const std::vector<Completion>& completions) {
  Words words;
  for (const Completion& completion : completions) append_words(words, completion);
  return words;
}

TEST(BatchBuilder, GivesEachPayloadItsRows) {
  BatchBuilder builder;
  const PointToPoint one{1, 2, 3, 4, 8, 0, 0}, two{5, 6, 7, 8, 8, 0, 0};
  add(builder, local_record(CallId::Wtime, 1, 2));
  add(builder, record(CallId::Send, Payload::p2p, 1, 2, {}, 0, one));
  add(builder, record(CallId::Sendrecv, Payload::sendrecv, 1, 2, {}, 0, one, two));
  add(builder, record(CallId::Bcast, Payload::coll, 1, 2, {}, 0, Collective{.comm = 9}));
  add(builder, record(CallId::Put, Payload::rma, 1, 2, {}, 0, Rma{.window = 10}));
  add(builder, record(CallId::File_read, Payload::io, 1, 2, {}, 0, FileAccess{.file = 11}));
  add(builder, record(CallId::Win_fence, Payload::handle, 1, 2, {}, 0, HandleUse{12}));
  add(builder, record(CallId::pthread_mutex_lock, Payload::lock, 1, 2, {}, 0, LockUse{.object = 13}));
  add(builder, record(CallId::pthread_join, Payload::thread_op, 1, 2, {}, 0, ThreadOp{.handle = 14}));
  const EventBatch& batch = builder.batch();
  EXPECT_EQ(batch.payload, (std::vector{Payload::local, Payload::p2p, Payload::sendrecv, Payload::coll, Payload::rma,
                                        Payload::io, Payload::handle, Payload::lock, Payload::thread_op}));
  ASSERT_EQ(batch.p2p.size(), 3u);
  EXPECT_EQ(batch.p2p[1].comm, 1u);
  EXPECT_EQ(batch.p2p[2].comm, 5u);
  EXPECT_EQ(batch.coll.at(0).comm, 9u);
  EXPECT_EQ(batch.rma.at(0).window, 10u);
  EXPECT_EQ(batch.io.at(0).file, 11u);
  EXPECT_EQ(batch.handles.at(0).handle, 12u);
  EXPECT_EQ(batch.locks.at(0).object, 13u);
  EXPECT_EQ(batch.thread_ops.at(0).handle, 14u);
  EXPECT_TRUE(builder.is_consistent(0));
}

TEST(BatchBuilder, KeepsTheValuesOfUserEvents) {
  BatchBuilder builder;
  const Words first{21, 22}, second{23};
  add(builder, record(CallId::UserEvent, Payload::user, 1, 1, {}, 0, UserUse{5, 2}), first);
  add(builder, record(CallId::UserEvent, Payload::user, 2, 2, {}, 0, UserUse{6, 1}), second);
  EXPECT_EQ(builder.batch().user_values, (Words{21, 22, 23}));
  EXPECT_EQ(builder.batch().user.at(1).definition, 6u);
  EXPECT_TRUE(builder.is_consistent(0));
}

TEST(BatchBuilder, TakesTheFlagsOfARecordButForTheOneAboutRecords) {
  BatchBuilder builder;
  add(builder, record(CallId::Wait, Payload::requests, 1, 2, {}, kFlagFailed | kFlagMore));
  EXPECT_EQ(builder.batch().flags, std::vector<std::uint8_t>{kFlagFailed});
}

TEST(BatchBuilder, LeavesOutTheHolesOfNullRequests) {
  BatchBuilder builder;
  add(builder, record(CallId::Waitall, Payload::requests, 1, 2, {}, 0));
  EXPECT_TRUE(
      builder.add_completions(completion_words({{7, 1, 2, 3}, {0, 0, 0, 0}, {8, 1, 2, 3}}), Payload::requests, true));
  EXPECT_EQ(builder.batch().completion_count, std::vector<std::uint32_t>{2});
  EXPECT_EQ(builder.batch().completions.at(1).request, 8u);
}

TEST(BatchBuilder, KeepsTheMessageOfABlockingReceiveThatHasNoRequest) {
  BatchBuilder builder;
  add(builder, record(CallId::Recv, Payload::p2p, 1, 2, {}, 0, PointToPoint{}));
  EXPECT_TRUE(builder.add_completions(completion_words({{0, 5, 6, 64}}), Payload::p2p, true));
  EXPECT_EQ(builder.batch().completions.at(0).bytes, 64);
}

TEST(BatchBuilder, KnowsOnlyTheRequestsOfACallWithoutAnOutcome) {
  BatchBuilder builder;
  add(builder, record(CallId::Wait, Payload::requests, 1, 2, {}, 0));
  EXPECT_TRUE(builder.add_completions(completion_words({{7, 1, 2, 3}}), Payload::requests, false));
  EXPECT_EQ(builder.batch().completions.at(0).request, 7u);
  EXPECT_EQ(builder.batch().completions.at(0).source, 0);
  EXPECT_EQ(builder.batch().completions.at(0).bytes, kNotKnown);
  add(builder, record(CallId::Recv, Payload::p2p, 3, 4, {}, 0, PointToPoint{}));
  EXPECT_TRUE(builder.add_completions(completion_words({{0, 5, 6, 64}}), Payload::p2p, false));
  EXPECT_EQ(builder.batch().completion_count, (std::vector<std::uint32_t>{1, 0}));
}

TEST(BatchBuilder, DropsCompletionsBeyondItsLimit) {
  BatchBuilder builder;
  add(builder, record(CallId::Waitall, Payload::requests, 1, 2, {}, 0));
  const Words many = completion_words(std::vector<Completion>(BatchBuilder::kMaxCompletions / 2, {7, 1, 2, 3}));
  EXPECT_TRUE(builder.add_completions(many, Payload::requests, true));
  EXPECT_TRUE(builder.add_completions(many, Payload::requests, true));
  EXPECT_FALSE(builder.add_completions(completion_words({{8, 1, 2, 3}}), Payload::requests, true));
  EXPECT_EQ(builder.batch().completion_count.back(), BatchBuilder::kMaxCompletions);
  EXPECT_EQ(builder.batch().completions.size(), BatchBuilder::kMaxCompletions);
}

TEST(BatchBuilder, SeesWhichRecordsContinueTheLastCall) {
  const Words more = record(CallId::Waitall, Payload::requests, 20, 20, {}, kFlagMore);
  const Words last = record(CallId::Waitall, Payload::requests, 21, 21, {}, 0);
  BatchBuilder builder;
  EXPECT_FALSE(builder.is_continuation(whole(more)));  // of which call?
  add(builder, record(CallId::Waitall, Payload::requests, 10, 20, {}, 0));
  EXPECT_TRUE(builder.is_continuation(whole(more)));
  EXPECT_TRUE(builder.is_continuation(whole(last)));   // announced by the one before
  EXPECT_FALSE(builder.is_continuation(whole(last)));  // not announced
}

TEST(BatchBuilder, DoesNotTakeACallOfItsOwnForAContinuation) {
  BatchBuilder builder;
  add(builder, record(CallId::Waitall, Payload::requests, 10, 20, {}, 0));
  const auto continues = [&](const Words& words) { return builder.is_continuation(whole(words)); };
  EXPECT_FALSE(continues(record(CallId::Waitall, Payload::requests, 20, 21, {}, kFlagMore)));  // it takes time
  EXPECT_FALSE(continues(record(CallId::Waitany, Payload::requests, 20, 20, {}, kFlagMore)));
  EXPECT_FALSE(continues(record(CallId::Waitall, Payload::requests, 20, 20, {}, kFlagMore | kFlagCounters)));
  EXPECT_FALSE(continues(record(CallId::Waitall, Payload::local, 20, 20, {}, kFlagMore)));
  builder.clear();
  EXPECT_FALSE(continues(record(CallId::Waitall, Payload::requests, 20, 20, {}, kFlagMore)));
}

TEST(BatchBuilder, DoesNotExpectTheNextThreadToContinueACall) {
  BatchBuilder builder;
  add(builder, record(CallId::Waitall, Payload::requests, 10, 20, {}, 0));
  EXPECT_TRUE(builder.is_continuation(whole(record(CallId::Waitall, Payload::requests, 20, 20, {}, kFlagMore))));
  builder.begin_thread();
  EXPECT_FALSE(builder.is_continuation(whole(record(CallId::Waitall, Payload::requests, 21, 21, {}, 0))));
}

TEST(BatchBuilder, HasNodesForAllSitesOrForNone) {
  BatchBuilder builder;
  builder.add_site({0x10, 0});
  EXPECT_TRUE(builder.batch().nodes.empty());
  builder.add_site({0x20, 5});
  builder.add_site({0x30, 0});
  EXPECT_EQ(builder.batch().sites, (std::vector<std::uint64_t>{0x10, 0x20, 0x30}));
  EXPECT_EQ(builder.batch().nodes, (std::vector<std::uint32_t>{0, 5, 0}));
}

TEST(BatchBuilder, CountsWithinCallsAndBetweenThem) {
  BatchBuilder builder;
  builder.add_counters(Words{100, 200, 105, 206});
  builder.clear();  // handed over: the thread continues
  builder.add_counters(Words{112, 206, 119, 198});
  EXPECT_EQ(builder.batch().counters, (std::vector<std::int64_t>{7, -8}));
  EXPECT_EQ(builder.batch().counters_between, (std::vector<std::int64_t>{7, 0}));
  builder.begin_thread();
  builder.add_counters(Words{5, 5, 6, 6});
  EXPECT_EQ(builder.batch().counters_between, (std::vector<std::int64_t>{7, 0, 0, 0}));
}

TEST(BatchBuilder, IsFullByItsEventsCompletionsOrValues) {
  BatchBuilder events;
  for (std::size_t i = 0; i < BatchBuilder::kSegmentEvents; ++i) {
    EXPECT_FALSE(events.is_full());
    add(events, local_record(CallId::Wtime, i, i));
  }
  EXPECT_TRUE(events.is_full());
  events.clear();
  EXPECT_FALSE(events.is_full());
  EXPECT_EQ(events.events(), 0u);

  BatchBuilder completions;
  add(completions, record(CallId::Waitall, Payload::requests, 1, 2, {}, 0));
  completions.add_completions(completion_words(std::vector<Completion>(4 * BatchBuilder::kSegmentEvents, {7, 0, 0, 0})),
                              Payload::requests, true);
  EXPECT_TRUE(completions.is_full());

  BatchBuilder values;
  const Words many(16 * BatchBuilder::kSegmentEvents);
  add(values,
      record(CallId::UserEvent, Payload::user, 1, 1, {}, 0, UserUse{5, static_cast<std::uint32_t>(many.size())}), many);
  EXPECT_TRUE(values.is_full());
}

TEST(BatchBuilder, IsInconsistentWithoutTheRowsOfItsEvents) {
  BatchBuilder builder;
  builder.begin_event(whole(record(CallId::Wtime, Payload::local, 1, 2, {}, kFlagSite)).head);
  EXPECT_FALSE(builder.is_consistent(0));
  builder.add_site({0x10, 0});
  EXPECT_TRUE(builder.is_consistent(0));

  BatchBuilder counted;
  counted.begin_event(whole(record(CallId::Wtime, Payload::local, 1, 2, {}, kFlagCounters)).head);
  counted.add_counters(Words{1, 2, 3, 4});
  EXPECT_TRUE(counted.is_consistent(2));
  EXPECT_FALSE(counted.is_consistent(1));
}

}  // namespace
}  // namespace meridian
