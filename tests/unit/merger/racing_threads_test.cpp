// SPDX-License-Identifier: Apache-2.0
// Threads that share a channel: MPI orders only the calls of which one ended before the other began.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <random>

#include "messages_fixture.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

using ::testing::UnorderedElementsAre;

struct RacingCall {
  std::uint32_t thread = 0;
  std::uint64_t number = 0;  // in its thread
  At at;
  std::uint64_t instant = 0;  // when it took effect
  std::uint64_t done = 0;     // a receive: when its completion was seen
  std::int64_t bytes = 0;
};

constexpr std::size_t kMessages = 60;

/// Threads of rank 0 send, threads of rank 1 receive, all on one channel. The k-th send is what the k-th receive gets.
class Race {
 public:
  /// sizes  number of different sizes
  Race(std::uint64_t seed, bool is_blocking, std::size_t sizes, std::uint32_t senders = 4, std::uint32_t receivers = 4)
      : random_{test::seeded(seed)}, senders_{senders}, receivers_{receivers} {
    play_sends(sizes);
    play_receives(is_blocking);
  }

  std::vector<RacingCall> sends, receives;  // in order of their instants
  void record(SyntheticRun& run) const {
    for (const auto& [at, call] : by_enter(sends)) run[0].thread(call->thread).send(call->at, 1, 5, call->bytes);
    for (std::uint32_t thread = 0; thread < receivers_; ++thread)
      for (const auto& [at, write] : writes_[thread]) write(run[1].thread(thread));
  }

 private:
  std::uint64_t wait(std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>{1, most}(random_); }
  static std::map<std::pair<std::uint64_t, std::uint32_t>, const RacingCall*> by_enter(
      const std::vector<RacingCall>& calls) {
    std::map<std::pair<std::uint64_t, std::uint32_t>, const RacingCall*> sorted;
    for (const RacingCall& call : calls) sorted[{call.at.enter, call.thread}] = &call;
    return sorted;
  }

  void play_sends(std::size_t sizes) {
    for (std::uint32_t thread = 0; thread < senders_; ++thread) {
      std::uint64_t now = 0;
      for (std::uint64_t i = 0; i < kMessages / senders_; ++i) {
        const std::uint64_t enter = now + wait(20), instant = enter + wait(20);
        now = instant + wait(20);
        sends.push_back({thread, i, {enter, now}, instant, 0, 8});
      }
    }
    std::ranges::sort(sends, {}, [](const RacingCall& call) { return std::pair{call.instant, call.thread}; });
    for (std::size_t i = 0; i < sends.size(); ++i) sends[i].bytes = static_cast<std::int64_t>(i % sizes + 1);
  }

  void play_receives(bool is_blocking) {
    using Next = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;  // instant, thread, enter
    std::priority_queue<Next, std::vector<Next>, std::greater<>> posts;
    std::vector<std::uint64_t> numbers(receivers_);
    std::vector<std::vector<std::size_t>> open(receivers_);
    const auto post_next = [&](std::uint32_t thread, std::uint64_t now) {
      const std::uint64_t enter = now + wait(10);
      posts.emplace(enter + wait(30), thread, enter);
    };
    writes_.resize(receivers_);
    for (std::uint32_t thread = 0; thread < receivers_; ++thread) post_next(thread, 0);
    while (receives.size() < sends.size()) {
      const auto [instant, thread, enter] = posts.top();
      posts.pop();
      const std::size_t k = receives.size();
      const RacingCall& send = sends[k];
      const std::int64_t bytes = send.bytes;
      std::uint64_t now = (is_blocking ? std::max(instant, send.instant) : instant) + wait(30);
      receives.push_back({thread, numbers[thread]++, {enter, now}, instant, now, bytes});
      const At at = receives[k].at;
      if (is_blocking) {
        write(thread, at, [at, bytes](SyntheticThread& t) { t.receive(at, 0, 5, bytes); });
      } else {
        const std::uint64_t request = 0x100 + k;
        write(thread, at, [at, bytes, request](SyntheticThread& t) { t.irecv(at, 0, 5, bytes, request); });
        open[thread].push_back(k);
        if (open[thread].size() == 3) now = wait_for_all(thread, now, open[thread], numbers[thread]);
      }
      post_next(thread, now);
    }
    for (std::uint32_t thread = 0; thread < receivers_; ++thread)
      if (!open[thread].empty())
        wait_for_all(thread, receives[open[thread].back()].at.leave, open[thread], numbers[thread]);
  }

  std::uint64_t wait_for_all(std::uint32_t thread, std::uint64_t now, std::vector<std::size_t>& open,
                             std::uint64_t& number) {
    for (const std::size_t k : open) {
      const At at{now + wait(5), std::max(now + 5, sends[k].instant) + wait(20)};
      const std::int64_t bytes = sends[k].bytes;
      write(thread, at, [at, k, bytes](SyntheticThread& t) { t.wait(at, 0x100 + k, {0, 5, bytes}); });
      receives[k].done = now = at.leave;
      ++number;
    }
    open.clear();
    return now;
  }

  using Write = std::function<void(SyntheticThread&)>;
  void write(std::uint32_t thread, At at, Write call) { writes_[thread].emplace_back(at.enter, std::move(call)); }

  std::mt19937_64 random_;
  std::uint32_t senders_, receivers_;
  std::vector<std::vector<std::pair<std::uint64_t, Write>>> writes_;  // [thread]
};

bool is_before(const RacingCall& a, const RacingCall& b) {
  return a.thread == b.thread ? a.number < b.number : a.at.leave <= b.at.enter;
}

class RacingThreads : public Messages, public ::testing::WithParamInterface<bool> {
 protected:
  /// (index of the send, index of the receive) of every message.
  std::vector<std::pair<std::size_t, std::size_t>> merged(const Race& race) {
    SyntheticRun run{2};
    race.record(run);
    auto outcome = run.merge();
    if (!outcome) throw std::runtime_error(outcome.error().what);
    summary = outcome->summary;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    const auto find = [](const std::vector<RacingCall>& calls, const EventRef& ref) {
      return static_cast<std::size_t>(
          std::ranges::find_if(
              calls, [&](const RacingCall& call) { return call.thread == ref.thread && call.number == ref.event; }) -
          calls.begin());
    };
    for (const MatchedMessage& message : MergedReader{run.merged()}.messages())
      pairs.emplace_back(find(race.sends, message.send), find(race.receives, message.post));
    std::ranges::sort(pairs);
    return pairs;
  }
};

TEST_P(RacingThreads, GetNoMessageBeforeItWasSentAndNoneOutOfOrder) {
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    const Race race{seed, GetParam(), 1};
    const auto pairs = merged(race);
    ASSERT_EQ(pairs.size(), race.sends.size()) << "seed " << seed;
    for (const auto& [send, receive] : pairs) {
      ASSERT_LT(race.sends[send].at.enter, race.receives[receive].done) << "seed " << seed;
      for (const auto& [other_send, other_receive] : pairs)
        ASSERT_FALSE(is_before(race.sends[send], race.sends[other_send]) &&
                     is_before(race.receives[other_receive], race.receives[receive]))
            << "seed " << seed;
    }
    ASSERT_EQ(summary.reversed_before, 0U) << "seed " << seed;
  }
}

TEST_P(RacingThreads, ThatReceiveAreDistinguishedByTheSizesOfTheirMessages) {
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    const Race race{seed, GetParam(), kMessages, 1, 4};
    const auto pairs = merged(race);
    ASSERT_EQ(pairs.size(), race.sends.size()) << "seed " << seed;
    for (const auto& [send, receive] : pairs) ASSERT_EQ(send, receive) << "seed " << seed;
  }
}

TEST_P(RacingThreads, ThatSendAreDistinguishedByTheSizesOfTheirMessages) {
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    const Race race{seed, GetParam(), kMessages, 4, 1};
    const auto pairs = merged(race);
    ASSERT_EQ(pairs.size(), race.sends.size()) << "seed " << seed;
    for (const auto& [send, receive] : pairs) ASSERT_EQ(send, receive) << "seed " << seed;
  }
}

TEST_P(RacingThreads, OnBothSidesGetMessagesOfTheirSizesWithoutAnError) {
  for (const std::size_t sizes : {2u, 7u, 60u})
    for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
      const Race race{seed, GetParam(), sizes};
      const auto pairs = merged(race);
      ASSERT_EQ(pairs.size(), race.sends.size()) << "seed " << seed;
      for (const auto& [send, receive] : pairs)
        ASSERT_EQ(race.sends[send].bytes, race.receives[receive].bytes) << "seed " << seed << " sizes " << sizes;
      ASSERT_EQ(summary.reversed_before, 0U) << "seed " << seed;
      ASSERT_EQ(summary.findings.size(), 1U) << "seed " << seed;
      ASSERT_EQ(summary.findings[0].name, "message.ambiguous");
    }
}

INSTANTIATE_TEST_SUITE_P(InBlockingCalls, RacingThreads, ::testing::Values(true));
INSTANTIATE_TEST_SUITE_P(WithRequests, RacingThreads, ::testing::Values(false));

TEST_F(Messages, WildcardOfAnotherThreadMayHaveBeenPostedFirst) {
  // Threads 0 and 1 post at the same time, and thread 1 is first. Its receive has no channel until its wait returns.
  SyntheticRun run{2};
  run[1].thread(0).irecv({10, 20}, 0, 5, 64, 0x100);
  run[1].thread(0).wait({21, 60}, 0x100, {0, 5, 16});
  run[1].thread(1).irecv({12, 14}, -1, -1, 64, 0x101);
  run[1].thread(1).wait({21, 90}, 0x101, {0, 5, 8});
  run[0]->send({30, 31}, 1, 5, 8);
  run[0]->send({40, 41}, 1, 5, 16);
  EXPECT_THAT(matched(run), UnorderedElementsAre(Pairing{0, 0, 1, 1}, Pairing{0, 1, 1, 1}));
  for (const MatchedMessage& message : MergedReader{run.merged()}.messages())
    EXPECT_EQ(message.post.thread, message.send.event == 0 ? 1U : 0U);
  ASSERT_EQ(summary.findings.size(), 1U);
  EXPECT_EQ(summary.findings[0].name, "message.ambiguous");
}

TEST_F(Messages, TruncatedMessageOfRacingThreadsIsStillAnError) {
  SyntheticRun run{2};
  run[1].thread(0).receive({0, 100}, 0, 5, {0, 5, 8});
  run[1].thread(0).batch.flags.back() = kFlagFailed;
  run[1].thread(1).receive({1, 90}, 0, 5, 8);
  run[0]->send({2, 3}, 1, 5, 16);
  run[0]->send({50, 51}, 1, 5, 8);
  EXPECT_EQ(matched(run).size(), 2U);
  EXPECT_EQ(count_of(summary, "message.truncated"), 1U);
  EXPECT_EQ(count_of(summary, "message.size_mismatch"), 0U);
}

TEST_F(Messages, PairOfRacingThreadsThatCannotBeIsLeftOut) {
  SyntheticRun run{2};  // a send is missing
  run[1].thread(0).receive({0, 20}, 0, 5, 8);
  run[1].thread(1).receive({1, 30}, 0, 5, 8);
  run[0]->send({2, 3}, 1, 5, 8);
  run[0]->send({50, 51}, 1, 5, 8);
  EXPECT_EQ(matched(run).size(), 1U);
  EXPECT_EQ(summary.reversed_before, 0U);
  ASSERT_EQ(summary.findings.size(), 1U);
  EXPECT_EQ(summary.findings[0].name, "message.ambiguous");
}

TEST_F(Messages, ThreadThatReturnsFirstGotTheMessageThatWasSentFirst) {
  SyntheticRun run{2};
  run[1].thread(0).receive({0, 100}, 0, 5, 8);
  run[1].thread(1).receive({1, 5}, 0, 5, 8);
  run[0]->send({2, 3}, 1, 5, 8);
  run[0]->send({50, 51}, 1, 5, 8);
  EXPECT_THAT(matched(run), UnorderedElementsAre(Pairing{0, 1, 1, 0}, Pairing{0, 0, 1, 0}));
  EXPECT_EQ(summary.reversed_before, 0U);
}

}  // namespace
}  // namespace meridian::test
