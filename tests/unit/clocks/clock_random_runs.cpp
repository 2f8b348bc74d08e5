// SPDX-License-Identifier: Apache-2.0
// Counts wrong bounds and far times in random runs, on demand: the figures of docs/CLOCKS.md, Clock steps.
//
//   clock_random_runs steps [RUNS [FIRST-SEED]]    clocks that are set, messages that are rare
//   clock_random_runs noise [RUNS [FIRST-SEED]]    clocks that nobody sets, networks and hosts that are noisy

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "clock_simulator.hpp"

namespace {

using namespace meridian;
using namespace meridian::test;

constexpr double kFarNs = 100'000;

class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed) : random_{seed} { scenario_.seed = seed; }

  Scenario with_steps() {
    make_common({1, 2, 5, 10, 20, 60}, {20, 30, 45, 80});
    const auto count = static_cast<int>(pick({0, 1, 1, 1, 2, 3}));
    for (int i = 0; i < count; ++i) add_step();
    std::ranges::stable_sort(scenario_.sets, {}, &ClockSet::at_s);
    return scenario_;
  }
  Scenario with_noise() {
    make_common({.01, .1, .5, 2, 5, 20}, {20, 30, 45, 80, 1000});
    scenario_.seconds = std::clamp(scenario_.seconds, 2.0, 1000.0);
    scenario_.delays = static_cast<DelayShape>(pick({0, 1, 2, 3, 3}));
    scenario_.has_queues = pick({0, 1}) > 0;
    scenario_.is_congested = pick({0, 1}) > 0;
    scenario_.latency_ns = pick({1300, 10'000, 30'000});
    scenario_.asymmetry = pick({0, .3, 1});
    const auto loads = static_cast<int>(pick({0, 1, 3}));
    for (int i = 0; i < loads; ++i)
      scenario_.loads.push_back(
          {host(), scenario_.seconds * share_(random_), scenario_.seconds * .1, pick({1e4, 1e5, 1e6})});
    return scenario_;
  }

 private:
  double pick(const std::vector<double>& values) { return values[random_() % values.size()]; }
  int host() { return static_cast<int>(random_() % static_cast<std::uint64_t>(scenario_.hosts)); }

  void make_common(const std::vector<double>& periods, const std::vector<double>& iterations) {
    scenario_.ranks_per_host = static_cast<int>(pick({1, 1, 2}));
    scenario_.hosts = static_cast<int>(pick({2, 3, 4, 6, 8}));
    const double period_s = pick(periods);
    scenario_.iteration_ms = period_s * 1000;
    scenario_.seconds = period_s * pick(iterations);
    scenario_.collective_every = static_cast<int>(pick({0, 0, 1, 3, 10}));
    const std::vector<Pattern> patterns{Pattern::ring, Pattern::random, Pattern::torus, Pattern::one_way};
    scenario_.pattern = patterns[random_() % patterns.size()];
    scenario_.drift = pick({0, 1, 1}) > 0 ? Drift::thermal : Drift::linear;
  }

  void add_step() {
    ClockSet set{host(), share_(random_) * scenario_.seconds};
    switch (random_() % 4) {
      case 0:
        set.size_ns = pick({1, -1}) * std::pow(10, share_(random_) * 6 + 4);
        break;
      case 1:
        set.still_s = pick({.5, 5, 30});
        break;
      case 2:
        set.size_ns = 3e9;
        set.still_s = .25;
        break;
      default:
        set.size_ns = pick({1, -1}) * 1e9;
    }
    scenario_.sets.push_back(set);
  }

  Scenario scenario_{.name = "random"};
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> share_{0.05, 0.95};
};

/// The largest error of a host that was not set, if the reference was not.
double worst_of_others(const SimulatedRun& run, const Clocks& clocks) {
  const auto is_set = [&](int host) {
    return std::ranges::any_of(run.scenario.sets, [&](const ClockSet& set) { return set.host == host; });
  };
  std::size_t reference = 0;
  while (clocks.domain_of[reference] != clocks.reference) ++reference;
  const int home = run.host_of(static_cast<int>(reference));
  constexpr int kMoments = 400;
  double worst = 0;
  for (int i = 0; i < kMoments && !is_set(home); ++i) {
    const double at_s = run.begin_s + .02 + (run.end_s - run.begin_s - .04) * i / kMoments;
    const std::int64_t truth = clocks.maps[reference].to_global(run.clocks[static_cast<std::size_t>(home)].ticks(at_s));
    for (int host = 0; host < run.scenario.hosts; ++host) {
      if (is_set(host)) continue;
      const int rank = host * run.scenario.ranks_per_host;
      const ClockMap& map = clocks.maps[static_cast<std::size_t>(rank)];
      const std::int64_t found = map.to_global(run.clocks[static_cast<std::size_t>(host)].ticks(at_s));
      worst = std::max(worst, std::abs(static_cast<double>(found - truth)));
    }
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind != "steps" && kind != "noise") {
    std::fputs("usage: clock_random_runs steps|noise [RUNS [FIRST-SEED]]\n", stderr);
    return 1;
  }
  const std::uint64_t runs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 600;
  const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  std::uint64_t wrong = 0, wrong_one_way = 0, far = 0, unset_with_steps = 0;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    RandomScenario random{seed};
    const SimulatedRun run{kind == "steps" ? random.with_steps() : random.with_noise()};
    const ClockTrial trial{run, ClockOptions{}};
    const bool is_wrong = bounds(run, trial.clocks, BoundLevel::t1, 2000).outside > 0;
    wrong += is_wrong;
    wrong_one_way += is_wrong && run.scenario.pattern == Pattern::one_way;
    far += worst_of_others(run, trial.clocks) > kFarNs;
    unset_with_steps += run.scenario.sets.empty() && trial.correction.has_steps();
  }
  std::printf(
      "%llu runs: a certified time is wrong in %llu (%llu with messages one way), a host that was not set is off by "
      "over "
      "100 us in %llu; steps found in %llu runs without any\n",
      static_cast<unsigned long long>(runs), static_cast<unsigned long long>(wrong),
      static_cast<unsigned long long>(wrong_one_way), static_cast<unsigned long long>(far),
      static_cast<unsigned long long>(unset_with_steps));
  return 0;
}
