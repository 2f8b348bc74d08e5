// SPDX-License-Identifier: Apache-2.0
// Random programs on a small MPI of the test's own: the merger must find exactly the pairs that it made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "mpi_simulator.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

std::vector<MpiSimulator::Truth> found(const std::filesystem::path& merged) {
  std::vector<MpiSimulator::Truth> pairs;
  for (const MatchedMessage& message : MergedReader{merged}.messages())
    pairs.push_back({message.send.rank, message.send.thread, static_cast<std::int64_t>(message.send.event),
                     message.post.rank, message.post.thread, static_cast<std::int64_t>(message.post.event),
                     message.completion.thread, static_cast<std::int64_t>(message.completion.event)});
  std::ranges::sort(pairs);
  return pairs;
}

/// MERIDIAN_TEST_SEEDS multiplies the number of programs.
void check(const SimulatorOptions& options, std::uint64_t wanted) {
  std::uint64_t seeds = cases(wanted);
  if (const char* more = std::getenv("MERIDIAN_TEST_SEEDS")) seeds *= std::strtoull(more, nullptr, 10);
  std::size_t messages = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SyntheticRun run{options.ranks};
    const auto truth = MpiSimulator{run, options, seed}.play();
    const auto outcome = run.merge();
    ASSERT_TRUE(outcome) << outcome.error().what;
    ASSERT_EQ(found(run.merged()), truth) << "seed " << seed;
    ASSERT_EQ(count_of(outcome->summary, "message.truncated"), 0U) << "seed " << seed;
    ASSERT_EQ(count_of(outcome->summary, "message.size_mismatch"), 0U) << "seed " << seed;
    ASSERT_EQ(outcome->summary.reversed_before, 0U) << "seed " << seed;
    messages += truth.size();
  }
  EXPECT_GT(messages, seeds * options.steps / 40) << "the programs are not idle";
}

TEST(RandomPrograms, OfSingleThreadsAreMatchedExactly) { check({.ranks = 3, .has_cancel = false}, 60); }

TEST(RandomPrograms, WithCancelsAreMatchedExactly) { check({.ranks = 3, .has_cancel = true}, 60); }

TEST(RandomPrograms, OfThreadsAreMatchedExactly) { check({.ranks = 2, .threads = 3, .has_cancel = false}, 60); }

TEST(RandomPrograms, OfThreadsWithCancelsAreMatchedExactly) { check({.ranks = 3, .threads = 3, .steps = 800}, 60); }

TEST(RandomPrograms, OnOneChannelAreMatchedExactly) { check({.ranks = 2, .threads = 2, .steps = 600, .tags = 1}, 60); }

TEST(RandomPrograms, OfOneRankAreMatchedExactly) { check({.ranks = 1, .threads = 2}, 30); }

}  // namespace
}  // namespace meridian::test
