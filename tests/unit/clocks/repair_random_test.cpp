// SPDX-License-Identifier: Apache-2.0
// repair_streams on random programs whose clocks are wrong, against a slow oracle and against what must hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "clocks/random_program.hpp"
#include "clocks/repair_oracle.hpp"
#include "tests/support/seed.hpp"

namespace meridian {
namespace {

using test::Oracle;
using test::points;
using test::Program;

/// A clock per rank that never stands still: wrong by up to `offset`, at a rate that changes every 4096 units within
/// 1 +- `rate`.
class BentClocks {
 public:
  BentClocks(std::size_t ranks, double offset, double rate, std::uint64_t seed) : random_{test::seeded(seed)} {
    std::uniform_real_distribution<double> any{-1, 1};
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      knots_.emplace_back().push_back(1e9 + offset * any(random_));
      for (int i = 0; i < 4096; ++i) knots_[rank].push_back(knots_[rank].back() + 4096 * (1 + rate * any(random_)));
    }
  }
  std::int64_t operator()(std::int32_t rank, std::int64_t t) const {
    const auto& knots = knots_[static_cast<std::size_t>(rank)];
    const auto k = static_cast<std::size_t>(t / 4096);
    const double within = static_cast<double>(t % 4096) / 4096;
    return std::llround(std::floor(knots[k] * (1 - within) + knots[k + 1] * within));
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::vector<double>> knots_;
};

const TimePair& call(const test::RepairedProgram& repaired, const Program& program, const EventRef& ref) {
  std::size_t t = 0;
  while (program.threads[t].rank != ref.rank || program.threads[t].thread != ref.thread) ++t;
  return repaired.calls[t][static_cast<std::size_t>(ref.event)];
}

/// Messages and exits out of order, the obvious way, by the times of the calls themselves.
std::size_t reversed(const Program& program, const test::RepairedProgram& repaired) {
  std::size_t count = 0;
  for (const MatchedMessage& m : program.messages)
    if (call(repaired, program, m.completion).leave_ns <= call(repaired, program, m.send).enter_ns) ++count;
  for (const CollectivePart& to : program.parts)
    for (const CollectivePart& from : program.parts)
      if (Program::must_follow(to, from) &&
          call(repaired, program, to.completion).leave_ns <= call(repaired, program, from.start).enter_ns)
        ++count;
  return count;
}

void expect_same_as_oracle(const Program& bent, const test::RepairedProgram& repaired) {
  const auto expected = Oracle{bent}.solve();
  for (std::size_t t = 0; t < expected.size(); ++t) EXPECT_EQ(repaired.calls[t], expected[t]) << "thread " << t;
  for (std::size_t i = 0; i < bent.messages.size(); ++i) {
    const MatchedMessage& m = repaired.messages[i];
    EXPECT_EQ(m.send, bent.messages[i].send);
    EXPECT_EQ(m.send_enter_ns, call(repaired, bent, m.send).enter_ns);
    EXPECT_EQ(m.post_enter_ns, call(repaired, bent, m.post).enter_ns);
    EXPECT_EQ(m.receive_leave_ns, call(repaired, bent, m.completion).leave_ns);
  }
  for (std::size_t i = 0; i < bent.parts.size(); ++i) {
    const CollectivePart& part = repaired.parts[i];
    EXPECT_EQ(part.start, bent.parts[i].start);
    EXPECT_EQ(part.shape, bent.parts[i].shape);
    EXPECT_EQ(part.enter_ns, call(repaired, bent, part.start).enter_ns);
    EXPECT_EQ(part.leave_ns, call(repaired, bent, part.completion).leave_ns);
  }
}

TEST(RepairCausality, EqualsTheSlowFixedPointOnRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto ranks = static_cast<std::int32_t>(1 + seed % 7);
    Program program{ranks, 1 + static_cast<std::uint32_t>(seed % 3), seed};
    program.run(120);
    const double offset = seed % 2 == 0 ? 300 : 20'000;
    const Program bent = program.by_clock(BentClocks{static_cast<std::size_t>(ranks), offset, 0.4, seed});
    const auto repaired = test::repair(bent);
    ASSERT_TRUE(repaired) << repaired.error().what;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_same_as_oracle(bent, *repaired);
    EXPECT_EQ(reversed(bent, *repaired), 0u);
    EXPECT_EQ(repaired->info.reversed_after, 0u);
    EXPECT_EQ(repaired->info.withdrawn, 0u);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(RepairCausality, KeepsTheOrderOfARankOverAllItsThreads) {
  Program program{5, 3, 7};
  program.run(3000);
  const Program bent = program.by_clock(BentClocks{5, 50'000, 0.4, 7});
  const auto repaired = test::repair(bent);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_GT(repaired->info.moved, 0u);
  for (std::int32_t rank = 0; rank < 5; ++rank) {
    const auto all = points(bent, *repaired, rank);
    for (std::size_t i = 1; i < all.size(); ++i) ASSERT_LT(all[i - 1].second, all[i].second);
  }
}

TEST(RepairCausality, ShrinksNoStretchByMoreThanOnePartInAThousand) {
  Program program{6, 2, 11};
  program.run(3000);
  const Program bent = program.by_clock(BentClocks{6, 50'000, 0.1, 11});
  const auto repaired = test::repair(bent);
  ASSERT_TRUE(repaired) << repaired.error().what;
  for (std::int32_t rank = 0; rank < 6; ++rank) {
    const auto all = points(bent, *repaired, rank);
    for (std::size_t far = 1; far < all.size(); far += 13)
      for (std::size_t near = 0; near < far; near += 7) {
        const std::int64_t length = all[far].first - all[near].first;
        ASSERT_GE(all[far].second - all[near].second, length - length / 1000 - 1);
      }
  }
}

TEST(RepairCausality, MovesNothingFartherThanTheClocksDisagree) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Program program{6, 2, seed};
    program.run(2000);
    const BentClocks clocks{6, 5'000, 4e-4, seed};
    const Program bent = program.by_clock(clocks);
    std::int64_t earliest = INT64_MAX, latest = INT64_MIN;
    for (const auto& thread : program.threads)
      for (const TimePair& pair : thread.calls)
        for (const std::int64_t t : {pair.enter_ns, pair.leave_ns}) {
          earliest = std::min(earliest, clocks(thread.rank, t) - t);
          latest = std::max(latest, clocks(thread.rank, t) - t);
        }
    const auto repaired = test::repair(bent);
    ASSERT_TRUE(repaired) << repaired.error().what;
    EXPECT_EQ(reversed(bent, *repaired), 0u);
    EXPECT_GT(repaired->info.largest_move_ns, 0);
    EXPECT_LE(repaired->info.largest_move_ns, latest - earliest);
  }
}

TEST(RepairCausality, CoarseStampsAreNeverTakenForACircle) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Program program{4, 3, seed};
    program.run(1000);
    const BentClocks clocks{4, 5'000, 0.2, seed};
    const Program bent =
        program.by_clock([&](std::int32_t rank, std::int64_t t) { return clocks(rank, t) / 1024 * 1024; });
    const auto repaired = test::repair(bent);
    ASSERT_TRUE(repaired) << repaired.error().what;
    EXPECT_EQ(reversed(bent, *repaired), 0u);
    EXPECT_EQ(repaired->info.withdrawn, 0u);
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      const auto all = points(bent, *repaired, rank);
      for (std::size_t i = 1; i < all.size(); ++i)
        ASSERT_TRUE(all[i - 1].first == all[i].first || all[i - 1].second < all[i].second);
    }
  }
}

TEST(RepairCausality, DoesNotChangeATraceInOrder) {
  Program program{4, 2, 3};
  program.run(500);
  const auto repaired = test::repair(program);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(repaired->info.moved, 0u);
  EXPECT_EQ(repaired->info.largest_move_ns, 0);
  for (std::size_t t = 0; t < program.threads.size(); ++t) EXPECT_EQ(repaired->calls[t], program.threads[t].calls);
}

TEST(RepairCausality, DoesNotChangeUnrelatedRanks) {
  Program program{4, 1, 5};
  for (int i = 0; i < 200; ++i) {  // 0 and 1 talk, 2 and 3 talk
    program.send_receive(0, 1);
    program.send_receive(1, 0);
    program.send_receive(2, 3);
    program.send_receive(3, 2);
  }
  const Program bent = program.by_clock([](std::int32_t rank, std::int64_t t) { return rank == 1 ? t - 5000 : t; });
  const auto repaired = test::repair(bent);
  ASSERT_TRUE(repaired) << repaired.error().what;
  EXPECT_EQ(reversed(bent, *repaired), 0u);
  EXPECT_NE(repaired->calls[1], bent.threads[1].calls);
  EXPECT_EQ(repaired->calls[2], bent.threads[2].calls);
  EXPECT_EQ(repaired->calls[3], bent.threads[3].calls);
}

}  // namespace
}  // namespace meridian
