// SPDX-License-Identifier: Apache-2.0
// The functions behind slow iterations and steps. One tick is one ns. The files of code are gone, so that functions are told apart by the
// file that they are in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysed.hpp"
#include "modules.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

constexpr std::uint32_t kAssemble = 1, kCheckpoint = 2;  // rows of stacks
constexpr std::size_t kIterations = 60;

struct IterationWork {
  std::uint64_t assemble = 600, checkpoint = 0;  // ns
};

/// Two ranks with a barrier after each work(iteration, rank), and a sample each 100 ns of work.
template <class Works>
Summary played(Works&& work, bool has_samples = true) {
  SyntheticRun run{2};
  for (std::size_t i = 0; i < 2; ++i) {
    SyntheticRank& rank = run[i];
    load_module(rank, "10000", "20000", kBuildId, "/nowhere/assemble");
    load_module(rank, "30000", "40000", std::string{kBuildId} + "44", "/nowhere/checkpoint");
    rank.sample_stacks = {{}, {0, 0x10400}, {0, 0x30400}};
    rank->call(CallId::Init, {0, 10});
    std::uint64_t now = 10;
    for (std::size_t iteration = 0; iteration < kIterations; ++iteration) {
      const IterationWork own = work(iteration, i), other = work(iteration, 1 - i);
      const std::uint64_t worked = now + own.assemble + own.checkpoint;
      for (std::uint64_t at = now + 50; has_samples && at < worked; at += 100)
        rank.samples.push_back({at, 0, at < now + own.assemble ? kAssemble : kCheckpoint});
      now = std::max(worked, now + other.assemble + other.checkpoint) + 10;
      rank->collective(CallId::Barrier, {worked, now});
    }
    rank->call(CallId::Finalize, {now + 10, now + 20});
  }
  return analysed(run);
}

std::vector<std::string> places_of_changes(const Summary& summary) {
  std::vector<std::string> found;
  for (const IterationFindingSummary& row : summary.iteration_findings)
    found.push_back(row.kind + " of rank " + std::to_string(row.rank) + " in " + row.place);
  return found;
}

std::vector<std::string> sentences_of_changes(const Summary& summary) {
  std::vector<std::string> found;
  for (const IterationFindingSummary& row : summary.iteration_findings) found.push_back(row.text);
  return found;
}

TEST(IterationFunctions, SlowIterationsOfARankNameTheFunctionThatIsOnlyInThem) {
  const Summary summary = played([](std::size_t iteration, std::size_t rank) {
    return IterationWork{.checkpoint = rank == 1 && iteration % 20 == 10 ? 500U : 0U};
  });
  EXPECT_THAT(places_of_changes(summary),
              ElementsAre("slow iteration of rank 1 in checkpoint", "slow iteration of rank 1 in checkpoint",
                          "slow iteration of rank 1 in checkpoint"));
  EXPECT_THAT(sentences_of_changes(summary),
              Each(EndsWith(" Most of the additional time is in (no symbols) (checkpoint).")));
}

TEST(IterationFunctions, SlowIterationsOfAllRanksNameIt) {
  const Summary summary = played(
      [](std::size_t iteration, std::size_t) { return IterationWork{.checkpoint = iteration % 20 == 10 ? 500U : 0U}; });
  EXPECT_THAT(places_of_changes(summary),
              ElementsAre("slow iteration of rank -1 in checkpoint", "slow iteration of rank -1 in checkpoint",
                          "slow iteration of rank -1 in checkpoint"));
}

TEST(IterationFunctions, AStepNamesTheFunctionThatGrew) {
  const Summary summary = played([](std::size_t iteration, std::size_t rank) {
    return IterationWork{.assemble = rank == 0 && iteration >= 30 ? 900U : 600U, .checkpoint = 200};
  });
  EXPECT_THAT(places_of_changes(summary), ElementsAre("step of rank 0 in assemble"));
}

TEST(IterationFunctions, WithoutSamplesOrWithTooFewNothingIsNamed) {
  const auto hiccup = [](std::size_t iteration, std::size_t rank) {
    return IterationWork{.checkpoint = rank == 1 && iteration == 30 ? 350U : 0U};  // three or four samples
  };
  EXPECT_THAT(places_of_changes(played(hiccup, false)), ElementsAre("slow iteration of rank 1 in "));
  EXPECT_THAT(places_of_changes(played([](std::size_t, std::size_t) { return IterationWork{}; })), IsEmpty());
}

}  // namespace
}  // namespace meridian::test
