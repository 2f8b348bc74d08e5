// SPDX-License-Identifier: Apache-2.0
// Records as the tracer leaves them in the ring, against the whole records that they stand for.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "pmpi/rings/small.hpp"
#include "tests/support/seed.hpp"
#include "trace/records/batch_builder.hpp"
#include "trace/records/known_calls.hpp"
#include "trace/records/record_decoder.hpp"

namespace meridian {

constinit std::uint64_t g_lost_call = 0;

namespace {

constexpr std::uint64_t kBlockWords = 2048;
constexpr std::uint64_t kRoom = 128;

/// A call as the test wants to find it.
struct Wanted {
  CallId call{};
  std::uint64_t enter = 0;
  std::uint64_t leave = 0;
  std::uint64_t site = 0;
  Payload payload = Payload::local;
  std::vector<std::uint64_t> body;
  bool operator==(const Wanted&) const = default;
};

/// A thread with a ring that is never full.
class SmallRecords : public ::testing::Test {
 protected:
  SmallRecords() {
    thread_.head = &head_;
    thread_.bias = 0 - reinterpret_cast<std::uintptr_t>(words_.data());
    thread_.cursor = words_.data();
    thread_.site_header = kSiteHeader;
    make_learned(thread_);
    std::uint64_t* const at = thread_.cursor;
    at[1] = at[2] = now_;
    *reinterpret_cast<ThreadBegin*>(at + words_of<RecordHead>) = {7, 1007};
    at[0] = header_word(CallId::none, Payload::thread, words_of<RecordHead> + words_of<ThreadBegin>);
    leave_call(thread_, at, words_of<RecordHead> + words_of<ThreadBegin>);
  }
  void TearDown() override { release_learned(thread_); }

  static std::uint64_t header_of(const Wanted& call) {
    const std::uint64_t completions = call.payload == Payload::requests ? call.body.size() / words_of<Completion> : 0;
    return header_word(call.call, call.payload, words_of<RecordHead> + call.body.size(), completions) + kSiteHeader;
  }

  /// Stores a call that begins `pause` ticks after the last one as the record in progress; returns its words.
  std::uint64_t begin(Wanted& call, std::uint64_t pause, std::uint64_t duration) {
    const auto position = static_cast<std::uint64_t>(thread_.cursor - words_.data());
    if (const std::uint64_t left = kBlockWords - position % kBlockWords; left < kRoom) {
      thread_.cursor[0] = header_word(CallId::none, Payload::pad, left);
      thread_.cursor += left;
      forget_learned(thread_);
    }
    std::uint64_t* const at = thread_.cursor;
    call.enter = now_ + pause;
    call.leave = now_ = call.enter + duration;
    at[1] = call.enter;
    at[2] = call.leave;
    std::copy(call.body.begin(), call.body.end(), at + words_of<RecordHead>);
    at[words_of<RecordHead> + call.body.size()] = call.site;
    at[0] = header_of(call);
    return words_in(at[0]);
  }
  /// A call from enter to leave; returns the words that its record takes.
  std::uint64_t store(Wanted call, std::uint64_t pause = 5, std::uint64_t duration = 9) {
    begin(call, pause, duration);
    std::uint64_t* const at = thread_.cursor;
    leave_plain_call(thread_, at, header_of(call), call.body.size());
    wanted_.push_back(call);
    ends_.push_back(thread_.cursor);
    return static_cast<std::uint64_t>(thread_.cursor - at);
  }
  void store_failed(Wanted call) {
    const std::uint64_t words = begin(call, 3, 4);
    thread_.cursor[0] |= std::uint64_t{kFlagFailed} << 24;
    leave_call(thread_, thread_.cursor, words);
    wanted_.push_back(call);
  }
  void store_abandoned(Wanted call) {
    const std::uint64_t words = begin(call, 3, 4);
    restore_record(thread_, thread_.cursor);
    forget_learned(thread_);
    thread_.cursor[0] |= std::uint64_t{kFlagAbandoned | kFlagFailed} << 24;
    leave_call(thread_, thread_.cursor, words);
    wanted_.push_back(call);
  }

  /// Events of the stream, fed in pieces that end where `ends` has an end. Between two pieces another decoder takes over.
  std::vector<Wanted> decoded(std::vector<const std::uint64_t*> ends = {}, std::span<const std::uint64_t> tail = {},
                              std::uint64_t* unfinished = nullptr) {
    ends.push_back(thread_.cursor);
    std::vector<Wanted> calls;
    const auto sink = [&](ThreadId thread, const EventBatch& batch) {
      EXPECT_EQ(thread.value, 7u);
      append(batch, calls, unfinished);
      return Status{};
    };
    auto meta = std::make_unique<RankMeta>();
    auto decoder = std::make_unique<RecordDecoder>(1, kBlockWords * kWordBytes, *meta, sink);
    const std::uint64_t* from = words_.data();
    for (const std::uint64_t* end : ends) {
      EXPECT_TRUE(decoder->feed(0, static_cast<std::uint64_t>(from - words_.data()) * kWordBytes, {from, end}));
      from = end;
      StateWriter saved;
      decoder->save(saved);
      auto next_meta = std::make_unique<RankMeta>();
      auto next = std::make_unique<RecordDecoder>(1, kBlockWords * kWordBytes, *next_meta, sink);
      StateReader state{saved.bytes()};
      EXPECT_TRUE(next->restore(state));
      decoder = std::move(next);
      meta = std::move(next_meta);
    }
    if (!tail.empty()) {
      EXPECT_TRUE(decoder->feed_unfinished(0, tail));
    }
    damaged_ = decoder->damaged();
    EXPECT_TRUE(decoder->finish());
    return calls;
  }

  static void append(const EventBatch& batch, std::vector<Wanted>& calls, std::uint64_t* unfinished) {
    std::size_t p2p = 0, completions = 0, site = 0;
    for (std::size_t i = 0; i < batch.call.size(); ++i) {
      Wanted call{batch.call[i], batch.enter_ticks[i], batch.leave_ticks[i], 0, batch.payload[i], {}};
      const auto take = [&](const auto& row) {
        const auto* const words = reinterpret_cast<const std::uint64_t*>(&row);
        call.body.insert(call.body.end(), words, words + sizeof row / kWordBytes);
      };
      if (call.payload == Payload::p2p) take(batch.p2p[p2p++]);
      for (std::uint32_t k = 0; k < batch.completion_count[i]; ++k) take(batch.completions[completions++]);
      if ((batch.flags[i] & kFlagSite) != 0) call.site = batch.sites[site++];
      if (unfinished != nullptr) *unfinished += (batch.flags[i] & kFlagUnfinished) != 0;
      calls.push_back(std::move(call));
    }
  }

  static Wanted rank_call(std::uint64_t site) { return {CallId::Comm_rank, 0, 0, site, Payload::local, {}}; }
  static Wanted send_call(std::uint64_t site, std::uint64_t peer, std::uint64_t request) {
    return {CallId::Isend, 0, 0, site, Payload::p2p, {0xc0, peer, 100, 8, request}};
  }
  static Wanted wait_call(std::uint64_t site, std::size_t requests, std::uint64_t first) {
    Wanted call{CallId::Waitall, 0, 0, site, Payload::requests, {}};
    for (std::uint64_t i = 0; i < requests; ++i) call.body.insert(call.body.end(), {first + i, i, 80});
    return call;
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(64 * kBlockWords);
  std::atomic<std::uint64_t> head_{0};
  ThreadState thread_;
  std::uint64_t now_ = std::uint64_t{1} << 40;
  std::vector<Wanted> wanted_;
  std::vector<const std::uint64_t*> ends_;
  std::uint64_t damaged_ = 0;
};

TEST_F(SmallRecords, TakeOneWordIfNothingButTheTimeIsDifferent) {
  EXPECT_EQ(store(rank_call(0x10)), 4u);
  EXPECT_EQ(store(rank_call(0x10)), 1u);
  EXPECT_EQ(store(send_call(0x20, 1, 0x77)), 9u);
  EXPECT_EQ(store(send_call(0x20, 1, 0x77)), 1u);
  EXPECT_EQ(store(wait_call(0x30, 20, 0x77)), 64u);
  EXPECT_EQ(store(wait_call(0x30, 20, 0x77)), 1u);
  EXPECT_EQ(decoded(), wanted_);
}

TEST_F(SmallRecords, TakeAWordMoreForEachWordThatIsDifferent) {
  store(send_call(0x20, 1, 0x77));
  EXPECT_EQ(store(send_call(0x20, 2, 0x77)), 2u);
  EXPECT_EQ(store(send_call(0x20, 3, 0x78)), 3u);
  EXPECT_EQ(store(send_call(0x20, 3, 0x78)), 1u);
  store(wait_call(0x30, 6, 0x77));
  EXPECT_EQ(store(wait_call(0x30, 6, 0x99)), 8u);  // a mask word and six requests
  EXPECT_EQ(decoded(), wanted_);
}

TEST_F(SmallRecords, AreWholeWhereTheTimeHasNoRoom) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << kSmallTickBits) - 1;
  store(rank_call(0x10));
  EXPECT_EQ(store(rank_call(0x10), kMost, kMost), 1u);
  EXPECT_EQ(store(rank_call(0x10), kMost + 1, 0), 4u);
  EXPECT_EQ(store(rank_call(0x10), 0, kMost + 1), 4u);
  EXPECT_EQ(store(rank_call(0x10), 0, 0), 1u);
  EXPECT_EQ(decoded(), wanted_);
}

TEST_F(SmallRecords, OfManySitesAndKindsAreTheCallsThatWereStored) {
  std::mt19937_64 random{test::seeded(1)};
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  std::vector<const std::uint64_t*> ends;
  while (static_cast<std::uint64_t>(thread_.cursor - words_.data()) < words_.size() - 2 * kBlockWords) {
    const std::uint64_t site = 0x400000 + below(below(4) == 0 ? 600 : 12) * 0x13;
    const std::uint64_t pause = below(below(50) == 0 ? 1 << 22 : 300), duration = below(below(50) == 0 ? 1 << 22 : 900);
    switch (below(20)) {
      case 0:
        store_failed(rank_call(site));
        break;
      case 1:
        if (below(10) == 0) store_abandoned(send_call(site, 5, 0));
        break;
      case 2:
      case 3:
        store(wait_call(site, 1 + below(25), 1 + below(3)), pause, duration);
        break;
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        store(send_call(site, below(3), below(3)), pause, duration);
        break;
      default:
        store(rank_call(site), pause, duration);
    }
    if (below(300) == 0) ends.push_back(thread_.cursor);
  }
  const std::vector<Wanted> found = decoded(ends);
  EXPECT_EQ(damaged_, 0u);
  ASSERT_EQ(found.size(), wanted_.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i] == wanted_[i], true) << "call " << i;
}

TEST_F(SmallRecords, FillBatchesAsWholeRecordsDo) {
  constexpr std::size_t kFull = BatchBuilder::kSegmentEvents, kRest = 1000;
  for (std::size_t i = 0; i < 2 * kFull + kRest; ++i) store(rank_call(0x10 + i % 3));
  std::vector<std::size_t> sizes;
  RankMeta meta;
  RecordDecoder decoder{1, kBlockWords * kWordBytes, meta, [&](ThreadId, const EventBatch& batch) {
                          sizes.push_back(batch.call.size());
                          return Status{};
                        }};
  EXPECT_TRUE(decoder.feed(0, 0, {words_.data(), thread_.cursor}));
  EXPECT_EQ(decoder.events(), 2 * kFull + kRest);
  EXPECT_TRUE(decoder.finish());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{kFull, kFull, kRest}));
}

TEST_F(SmallRecords, WithManyRequestsFillBatchesByTheirCompletions) {
  constexpr std::size_t kRequests = 19, kFull = (BatchBuilder::kMostCompletions + kRequests - 1) / kRequests;
  for (std::size_t i = 0; i < kFull + 1; ++i) store(wait_call(0x30, kRequests, 0x77));
  std::vector<std::size_t> sizes;
  RankMeta meta;
  RecordDecoder decoder{1, kBlockWords * kWordBytes, meta, [&](ThreadId, const EventBatch& batch) {
                          sizes.push_back(batch.call.size());
                          return Status{};
                        }};
  EXPECT_TRUE(decoder.feed(0, 0, {words_.data(), thread_.cursor}));
  EXPECT_TRUE(decoder.finish());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{kFull, 1}));
}

TEST_F(SmallRecords, ThatTheHeadHasNotPassedAreCallsThatHaveReturned) {
  store(send_call(0x20, 1, 0x77));
  const std::uint64_t* const before = thread_.cursor;
  store(send_call(0x20, 2, 0x77));
  const std::vector<std::uint64_t> tail(before, before + 8);
  thread_.cursor = const_cast<std::uint64_t*>(before);
  std::uint64_t unfinished = 0;
  EXPECT_EQ(decoded({}, tail, &unfinished), wanted_);
  EXPECT_EQ(unfinished, 0u);
}

TEST_F(SmallRecords, ThatAreBeingStoredAreCallsInProgress) {
  store(send_call(0x20, 1, 0x77));
  const std::uint64_t* const before = thread_.cursor;
  store(send_call(0x20, 2, 0x77));
  std::vector<std::uint64_t> tail(before, before + 8);
  tail[0] |= kSmallPart;
  thread_.cursor = const_cast<std::uint64_t*>(before);
  std::uint64_t unfinished = 0;
  const std::vector<Wanted> found = decoded({}, tail, &unfinished);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], wanted_[0]);
  EXPECT_EQ(found[1], (Wanted{CallId::Isend, wanted_[1].enter, wanted_[1].enter, 0, Payload::local, {}}));
  EXPECT_EQ(unfinished, 1u);
}

TEST_F(SmallRecords, ThatWereInterruptedBecomeWholeAgain) {
  store(send_call(0x20, 1, 0x77));
  Wanted call = send_call(0x20, 2, 0x78);
  begin(call, 5, 9);
  const std::uint64_t whole = thread_.cursor[0];
  thread_.cursor[0] |= kLearnedRecord;
  restore_record(thread_, thread_.cursor);
  EXPECT_EQ(thread_.cursor[0], whole);
  thread_.cursor[0] = small_word(learned_place({whole, 0x20}), 0x12, 5, 9) | kSmallPart;
  restore_record(thread_, thread_.cursor);
  EXPECT_EQ(thread_.cursor[0], header_word(CallId::Isend, Payload::local, words_of<RecordHead>));
}

TEST_F(SmallRecords, WithoutMemoryForTheTableAreWhole) {
  release_learned(thread_);
  EXPECT_EQ(store(rank_call(0x10)), 4u);
  EXPECT_EQ(store(rank_call(0x10)), 4u);
  EXPECT_EQ(decoded(), wanted_);
}

/// Words in place of the second record of a stream.
class DamagedSmallRecords : public SmallRecords, public ::testing::WithParamInterface<int> {};

TEST_P(DamagedSmallRecords, EndTheStream) {
  store(send_call(0x20, 1, 0x77));
  std::uint64_t* const at = thread_.cursor;
  store(send_call(0x20, 2, 0x77));
  const std::size_t entry = small_entry(at[0]);
  const std::uint64_t damage[] = {
      small_word((entry + 1) % LearnedCalls::kEntries, 0, 5, 9),  // an entry that is empty
      small_word(entry, 1 << 5, 5, 9),                            // a word behind the body
      at[0] | kSmallPart,                                         // complete, as the head says
      small_word(entry, 0x1f, 5, 9),                              // more words than there are
  };
  at[0] = damage[GetParam()];
  EXPECT_EQ(decoded(), std::vector(wanted_.begin(), wanted_.begin() + 1));
  EXPECT_EQ(damaged_, 1u);
}

INSTANTIATE_TEST_SUITE_P(Each, DamagedSmallRecords, ::testing::Range(0, 4));

TEST_F(SmallRecords, AtTheBeginningOfABlockAreDamage) {
  store(rank_call(0x10));
  const std::uint64_t small = small_word(learned_place({header_of(rank_call(0x10)), 0x10}), 0, 5, 9);
  const auto position = static_cast<std::uint64_t>(thread_.cursor - words_.data());
  thread_.cursor[0] = header_word(CallId::none, Payload::pad, kBlockWords - position);
  thread_.cursor += kBlockWords - position;
  *thread_.cursor++ = small;
  EXPECT_EQ(decoded(), wanted_);
  EXPECT_EQ(damaged_, 1u);
}

}  // namespace
}  // namespace meridian
