// SPDX-License-Identifier: Apache-2.0
#include "pmpi/rings/polls.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "trace/model/call_facts.hpp"
#include "trace/records/poll_phase.hpp"

namespace {

std::uint64_t g_now = 1000;
int g_readings = 0;

}  // namespace

// The parts of the tracer that polls.cpp needs: a clock that the test sets, and room.
namespace meridian {

constinit ClockKind g_clock = ClockKind::monotonic;
constinit std::uint64_t g_lost_call = 0;
std::uint64_t read_slow_clock() noexcept {
  ++g_readings;
  return g_now;
}
std::uint64_t* make_room(ThreadState& thread, std::uint64_t, const void*) noexcept {
  if (thread.polls.places != 0) close_polls(thread, read_ticks());
  return thread.cursor;
}
std::uint64_t* begin_again(ThreadState&, const void*, std::uint64_t) noexcept { return nullptr; }

namespace {

/// A thread with a ring of its own, whose polls take `length` ticks.
class Polls : public ::testing::Test {
 protected:
  Polls() {
    g_now = 1000;
    g_readings = 0;
    thread_.ring = thread_.cursor = words_.data();
    thread_.block_limit = thread_.limit = words_.data() + words_.size() - kMaxFixedWords;
    thread_.head = &head_;
    thread_.bias = 0 - reinterpret_cast<std::uintptr_t>(words_.data());
    thread_.site_header = kSiteHeader;
  }

  static PollPhase::Place place(std::uint64_t address, CallId id = CallId::Test) { return poll_place(id, address); }

  /// A poll as the wrappers make it; `found`: it finds something. Returns the enter ticks of one that is recorded by itself.
  std::uint64_t poll(std::uint64_t address, std::uint64_t length, bool found = false) {
    const std::uint64_t frame[2] = {0, address};
    const PollPhase::Place at = poll_place(CallId::Test, address);
    PollTurn turn;
    if (begin_poll(thread_, turn, frame, at)) {
      g_now += length;
      EXPECT_EQ(turn.at, thread_.cursor);
      if (found) return end_polls(thread_, turn, g_now);
      end_poll(thread_, turn, at);
      return 0;
    }
    EXPECT_EQ(turn.at, nullptr);
    std::uint64_t* const record = thread_.cursor;
    enter_call(thread_, frame);
    record[1] = read_ticks();
    g_now += length;
    record[2] = read_ticks();
    if (!found) begin_polls(thread_, record, at);
    return record[1];
  }
  void wait(std::uint64_t ticks) { g_now += ticks; }

  /// The record at the thread's cursor, which is open, or one that has ended.
  Record record_at(const std::uint64_t* at) const {
    const auto head = load_words<RecordHead>(at);
    return {head, {at, head.header.words}};
  }
  std::vector<PollEvent> open_phase() const { return poll_phase(record_at(thread_.cursor)).value(); }
  /// The phases that have ended.
  std::vector<std::vector<PollEvent>> ended() const {
    std::vector<std::vector<PollEvent>> list;
    for (const std::uint64_t* at = words_.data(); at < thread_.cursor; at += record_at(at).head.header.words)
      list.push_back(poll_phase(record_at(at)).value());
    return list;
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(1 << 12);
  std::atomic<std::uint64_t> head_{0};
  ThreadState thread_;
};

TEST(PollCalls, OfThePhasesAreThoseThatTheFactsName) {
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    EXPECT_EQ(is_poll(call), is_recorded_in_phases(facts_of(call))) << info(call).name;
  }
}

TEST_F(Polls, ThatFollowEachOtherAreOneRecordThatTheHeadHasNotPassed) {
  for (int i = 0; i < 1000; ++i) {
    poll(0x10, 100);
    wait(50);
  }
  EXPECT_EQ(head_.load(), 0u);
  const auto phase = open_phase();
  ASSERT_EQ(phase.size(), 1u);
  EXPECT_EQ(phase[0].row.calls, 1000u);
  EXPECT_EQ(phase[0].site, 0x10u);
  EXPECT_EQ(phase[0].head.enter_ticks, 1000u);
  EXPECT_EQ(phase[0].row.comm, 0u);
  EXPECT_EQ(phase[0].row.tag, -1);
}

TEST_F(Polls, ThatAreCloseReadTheClockAtEvery31st) {
  for (int i = 0; i < 5; ++i) poll(0x10, 100);  // one with a record of its own, four measured
  g_readings = 0;
  for (int i = 0; i < 310; ++i) poll(0x10, 100);
  EXPECT_EQ(g_readings, 2 * 10);
}

TEST_F(Polls, ThatAreFarApartAreAllMeasured) {
  for (int i = 0; i < 100; ++i) {
    poll(0x10, 10 + static_cast<std::uint64_t>(i));
    wait(kPollNearTicks);
  }
  const auto phase = open_phase();
  EXPECT_EQ(phase[0].row.calls, 100u);
  EXPECT_EQ(phase[0].row.inside_ticks, 100u * 10 + 99 * 50);
  EXPECT_EQ(phase[0].row.error_ticks, 0u);
  EXPECT_EQ(phase[0].head.leave_ticks, g_now - kPollNearTicks);
}

TEST_F(Polls, ThatAreSampledHaveTheirMeanTimesTheirNumberAndAnError) {
  for (int i = 0; i < 5 + 31 * 100; ++i) {
    poll(0x10, i % 2 == 0 ? 100 : 300);
    wait(10);
  }
  const auto phase = open_phase();
  const double truth = 200.0 * static_cast<double>(phase[0].row.calls);
  const auto error = static_cast<double>(phase[0].row.error_ticks);
  // 100 samples of 100 or 300 ticks: their standard deviation is 100, that of their mean 10.
  EXPECT_NEAR(error, 3105 * 100 / 10.0, 3105);
  EXPECT_NEAR(static_cast<double>(phase[0].row.inside_ticks), truth, 3 * error);
}

TEST_F(Polls, OfFourPlacesShareAPhaseAndAFifthBeginsAnother) {
  for (int i = 0; i < 100; ++i)
    for (std::uint64_t from = 1; from <= 4; ++from) poll(from, from * 10);
  const auto phase = open_phase();
  ASSERT_EQ(phase.size(), 4u);
  std::uint64_t at = 1000;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(phase[i].row.calls, 100u);
    EXPECT_EQ(phase[i].site, i + 1);
    EXPECT_EQ(phase[i].head.enter_ticks, at);  // they divide the time of the phase
    at = phase[i].head.leave_ticks;
  }
  poll(5, 10);
  ASSERT_EQ(ended().size(), 1u);
  EXPECT_EQ(ended()[0].size(), 4u);
  ASSERT_EQ(open_phase().size(), 1u);
  EXPECT_EQ(open_phase()[0].site, 5u);
  EXPECT_EQ(open_phase()[0].row.calls, 1u);
}

TEST_F(Polls, AfterAGapAreAnotherPhase) {
  poll(0x10, 100);
  wait(kPollGapTicks);
  poll(0x10, 100);
  EXPECT_EQ(ended().size(), 0u);
  wait(kPollGapTicks + 1);
  poll(0x10, 100);
  ASSERT_EQ(ended().size(), 1u);
  EXPECT_EQ(ended()[0][0].row.calls, 2u);
  EXPECT_EQ(ended()[0][0].head.leave_ticks, 1000 + 200 + kPollGapTicks);
  EXPECT_EQ(open_phase()[0].row.calls, 1u);
}

TEST_F(Polls, ThatAlternateMayBeFartherApart) {
  poll(0x10, 100);
  poll(0x20, 100);
  wait(kPollWideGapTicks);
  poll(0x10, 100);
  EXPECT_EQ(ended().size(), 0u);
  wait(kPollWideGapTicks + 1);
  poll(0x10, 100);
  EXPECT_EQ(ended().size(), 1u);
}

TEST_F(Polls, EndWithOneThatFindsSomething) {
  poll(0x10, 100);
  wait(50);
  poll(0x10, 100);
  wait(50);
  const std::uint64_t enter = poll(0x10, 70, true);
  EXPECT_EQ(enter, g_now - 70);  // measured: it was one of the first
  ASSERT_EQ(ended().size(), 1u);
  EXPECT_EQ(ended()[0][0].row.calls, 2u);
  EXPECT_EQ(ended()[0][0].head.leave_ticks, 1250u);
  EXPECT_EQ(thread_.polls.places, 0u);
  EXPECT_EQ(thread_.limit, words_.data() + words_.size() - kMaxFixedWords);
}

TEST_F(Polls, OneThatFindsSomethingUnmeasuredBeginsAfterTheOthersAndBeforeItsEnd) {
  for (int i = 0; i < 50; ++i) {
    poll(0x10, 100);
    wait(50);
  }
  const std::uint64_t begun = g_now;
  const std::uint64_t enter = poll(0x10, 100, true);
  ASSERT_EQ(ended().size(), 1u);
  EXPECT_EQ(ended()[0][0].row.calls, 50u);
  EXPECT_EQ(enter, begun);
  EXPECT_NEAR(static_cast<double>(ended()[0][0].head.leave_ticks), static_cast<double>(begun - 50), 150);
  EXPECT_LE(ended()[0][0].head.leave_ticks, enter);
}

TEST_F(Polls, EndWithAnyOtherRecord) {
  for (int i = 0; i < 50; ++i) poll(0x10, 100);
  EXPECT_GE(thread_.cursor, thread_.limit);  // so that it asks for room
  make_room(thread_, kMaxFixedWords, nullptr);
  ASSERT_EQ(ended().size(), 1u);
  EXPECT_EQ(ended()[0][0].row.calls, 50u);
  EXPECT_EQ(ended()[0][0].head.leave_ticks, g_now);
  EXPECT_LT(thread_.cursor, thread_.limit);
}

TEST_F(Polls, OfASignalHandlerAreSeenByTheCallThatItInterrupted) {
  const std::uint64_t* const at = thread_.cursor;
  EXPECT_FALSE(was_interrupted(thread_, at));
  poll(0x10, 100);  // the cursor stays, but a record lies there
  EXPECT_EQ(thread_.cursor, at);
  EXPECT_TRUE(was_interrupted(thread_, at));
}

TEST_F(Polls, LeftByLongjmpAreCounted) {
  poll(0x10, 100);
  const std::uint64_t frame[2] = {0, 0x10};
  PollTurn turn;
  ASSERT_TRUE(begin_poll(thread_, turn, frame, place(0x10)));
  abandon_poll(thread_);
  EXPECT_EQ(open_phase()[0].row.calls, 2u);
  EXPECT_NE(thread_.limit, nullptr);
}

TEST_F(Polls, ForOtherMessagesAreOtherPlaces) {
  const auto one = poll_place(CallId::Iprobe, 0x10, 0xc0, 1, 7);
  EXPECT_TRUE(one == poll_place(CallId::Iprobe, 0x10, 0xc0, 1, 7));
  EXPECT_FALSE(one == poll_place(CallId::Improbe, 0x10, 0xc0, 1, 7));
  EXPECT_FALSE(one == poll_place(CallId::Iprobe, 0x10, 0xc0, 1, 8));
  EXPECT_FALSE(one == poll_place(CallId::Iprobe, 0x10, 0xc0, 2, 7));
  EXPECT_FALSE(one == poll_place(CallId::Iprobe, 0x10, 0xc1, 1, 7));
}

TEST_F(Polls, OfADamagedRecordAreNone) {
  poll(0x10, 100);
  const Record whole = record_at(thread_.cursor);
  for (std::size_t words = 4; words < whole.words.size(); ++words)
    EXPECT_FALSE(poll_phase({whole.head, whole.words.first(words)})) << words;
  poll_counts(thread_.cursor, 0).calls = 0;
  EXPECT_FALSE(poll_phase(record_at(thread_.cursor)));
  poll_counts(thread_.cursor, 0).calls = 1;
  poll_counts(thread_.cursor, 0).call = kCallCount;
  EXPECT_FALSE(poll_phase(record_at(thread_.cursor)));
}

}  // namespace
}  // namespace meridian
