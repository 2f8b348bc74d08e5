// SPDX-License-Identifier: Apache-2.0
// Phases and iterations of random loops, compared with those that plain loops in Python find in the merged file.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "analysed.hpp"
#include "modules.hpp"
#include "tests/support/run_python.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

/// A program of one to three loops. Each pass makes the same steps: barriers, from one place or from a place for each rank, and
/// calls that some of the ranks make, some of them several times.
class RandomLoops {
 public:
  RandomLoops(SyntheticRun& run, std::uint64_t seed)
      : run_{run}, random_{test::seeded(seed)}, now_(run.ranks.size(), 10) {
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      load_module(run[rank], "10000", "20000", kBuildId, "/nowhere/app");
      run[rank]->call(CallId::Init, {0, 10});
    }
  }

  void play() {
    for (std::uint64_t loops = 1 + below(3); loops > 0; --loops) {
      std::vector<Step> steps(1 + below(4));
      for (Step& step : steps)
        step = {below(2) == 0, below(3) == 0, place_ += 0x10, below(4), 1 + below(2), below(3) == 0};
      for (std::uint64_t passes = 3 + below(30); passes > 0; --passes)
        for (const Step& step : steps) make(step);
    }
    for (std::size_t rank = 0; rank < now_.size(); ++rank)
      run_[rank]->call(CallId::Finalize, {now_[rank] + 5, now_[rank] + 9});
  }

 private:
  struct Step {
    bool is_barrier, has_own_places;
    std::uint64_t place;
    std::uint64_t without;  ///< a rank that does not make it; at least the number of ranks: none
    std::uint64_t times;
    bool is_unequal;  ///< rank r makes it r times more
  };
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void at(std::size_t rank, std::uint64_t address) {
    run_[rank].thread().batch.flags.back() |= kFlagSite;
    run_[rank].thread().batch.sites.push_back(address);
  }
  void make(const Step& step) {
    for (std::uint64_t& now : now_) now += 1 + below(500);
    if (step.is_barrier) {
      const std::uint64_t last = *std::ranges::max_element(now_);
      for (std::size_t rank = 0; rank < now_.size(); ++rank) {
        const std::uint64_t leave = last + 1 + below(20);
        run_[rank]->collective(CallId::Barrier, {now_[rank], leave});
        at(rank, 0x10000 + step.place + (step.has_own_places ? rank : 0));
        now_[rank] = leave;
      }
      return;
    }
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      if (rank == step.without) continue;
      for (std::uint64_t i = step.times + (step.is_unequal ? rank : 0); i > 0; --i) {
        const std::uint64_t leave = now_[rank] + 1 + below(50);
        run_[rank]->call(CallId::File_sync, {now_[rank], leave});
        at(rank, 0x10000 + step.place);
        now_[rank] = leave + below(30);
      }
    }
  }

  SyntheticRun& run_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> now_;  // [rank]
  std::uint64_t place_ = 0x100;
};

TEST(IterationsInPython, OfRandomLoopsAreThoseOfPlainLoops) {
  for (std::uint64_t seed = 1; seed <= cases(12); ++seed) {
    SyntheticRun run{seed % 3 == 0 ? 2 : 4};
    RandomLoops{run, seed}.play();
    const auto outcome = run.merge(with_analyses());
    ASSERT_TRUE(outcome) << outcome.error().what;
    run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_ITERATIONS, run.merged()});
  }
}

}  // namespace
}  // namespace meridian::test
