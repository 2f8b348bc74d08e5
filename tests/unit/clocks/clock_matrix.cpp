// SPDX-License-Identifier: Apache-2.0
// Prints the table of acceptance figures, and fails if one is missed:
// clock_matrix [SEEDS [SCENARIO [FIRST-SEED [SEGMENT-SECONDS]]]]. SCENARIO "all": every one; "large": 1024 hosts;
// "set": runs with clock steps; "broken": runs that violate assumptions.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "clock_scenarios.hpp"
#include "counted_heap.hpp"

namespace {

using namespace meridian;
using namespace meridian::test;

constexpr double kPointsPerTrial = 60'000;  // at which bounds are compared with the truth

bool measure(const Acceptance& limits, std::uint64_t seed, double segment_s) {
  Scenario scenario = limits.scenario;
  scenario.seed = seed;
  const SimulatedRun run{scenario};
  ClockOptions options;
  options.segment_s = segment_s;
  begin_heap_peak();
  const ClockTrial trial{run, options};
  const auto bytes = static_cast<double>(heap_peak());
  const ClockTrial linear{run, ClockModel::linear};
  const ErrorFigures error = errors(run, trial.clocks), line = errors(run, linear.clocks);
  const int moments = static_cast<int>(kPointsPerTrial / scenario.hosts);
  const BoundFigures t1 = bounds(run, trial.clocks, BoundLevel::t1, moments);
  const BoundFigures t2 = bounds(run, trial.clocks, BoundLevel::t2, moments);
  const double uncertified = static_cast<double>(t1.uncertified) / static_cast<double>(t1.points);
  const bool is_said = scenario.sets.empty() || !trial.clocks.findings.empty();
  const bool is_good = is_said && error.p50 <= limits.p50 && error.p99 <= limits.p99 && error.max <= limits.max &&
                       t1.p50 <= limits.t1_p50 && t1.p99 <= limits.t1_p99 && t2.p50 <= limits.t2_p50 &&
                       (limits.may_reverse || trial.reversed == 0) && uncertified <= limits.uncertified &&
                       t1.outside == 0 && t2.outside == 0;
  const double slew_ppm = scenario.drift == Drift::slewed ? 25 : 1;
  std::printf(
      "%-15s %3llu | %6.4f %6.4f %7.4f | %6.2f | %3llu | %5.2f %5.2f %5.2f %5.2f%% | %2llu %2llu %8llu | %8.1f | %6.2f "
      "%5.0f %s\n",
      scenario.name.c_str(), static_cast<unsigned long long>(seed), error.p50, error.p99, error.max, line.p99,
      static_cast<unsigned long long>(trial.reversed), t1.p50, t1.p99, t2.p50, 100 * uncertified,
      static_cast<unsigned long long>(t1.outside), static_cast<unsigned long long>(t2.outside),
      static_cast<unsigned long long>(t1.points), worst_distortion(run, trial.clocks, slew_ppm),
      static_cast<double>(run.messages.size()) / trial.fit_s / 1e6, bytes / static_cast<double>(run.messages.size()),
      is_good ? "" : "MISSED");
  std::fflush(stdout);
  return is_good;
}

/// Every run that violates assumptions, with this number of seeds.
bool measure_broken(int seeds) {
  std::printf("%-16s %3s %8s %8s %8s  findings\n", "scenario", "", "points", "outside", "unbound");
  bool is_good = true;
  std::uint64_t points = 0;
  for (const Broken& broken : broken_runs())
    for (int seed = 1; seed <= seeds; ++seed) {
      Scenario scenario = broken.scenario;
      scenario.seed = static_cast<std::uint64_t>(seed);
      const BrokenFigures one =
          try_broken(scenario, broken.findings, static_cast<int>(kPointsPerTrial / scenario.hosts));
      const bool is_fine = one.outside == 0 && one.is_said;
      std::printf("%-16s %3d %8llu %8llu %8llu  %s %s\n", scenario.name.c_str(), seed,
                  static_cast<unsigned long long>(one.points), static_cast<unsigned long long>(one.outside),
                  static_cast<unsigned long long>(one.uncertified), one.findings.c_str(), is_fine ? "" : "MISSED");
      std::fflush(stdout);
      is_good &= is_fine;
      points += one.points;
    }
  std::printf("%llu points\n", static_cast<unsigned long long>(points));
  return is_good;
}

}  // namespace

int main(int count, char** arguments) {
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 3;
  const std::string only = count > 2 ? arguments[2] : "all";
  const int first = count > 3 ? std::atoi(arguments[3]) : 1;
  if (only == "broken") return measure_broken(seeds) ? 0 : 1;
  const double segment_s = count > 4 ? std::atof(arguments[4]) : 0;
  std::printf("errors and bounds in L; line: p99 of a line between the round trips at start and end\n");
  std::printf("%-15s %3s | %6s %6s %7s | %6s | %3s | %5s %5s %5s %6s | %2s %2s %8s | %8s | %6s %5s\n", "scenario", "",
              "p50", "p99", "max", "line", "rev", "T1 50", "T1 99", "T2 50", "uncert", "T1", "T2", "points", "bent ns",
              "Mmsg/s", "B/msg");
  bool is_good = true;
  std::vector<Acceptance> all = acceptances();
  if (only == "large")
    all = {{.scenario = {.name = "large", .hosts = 1024, .ranks_per_host = 1, .pattern = Pattern::torus}, .p99 = .25}};
  if (const std::vector<Acceptance> set = set_runs();
      only == "set" || std::ranges::any_of(set, [&](const Acceptance& one) { return one.scenario.name == only; }))
    all = set;
  for (const Acceptance& limits : all)
    for (int seed = first; seed <= seeds; ++seed)
      if (only == "all" || only == "set" || only == "large" || limits.scenario.name == only)
        is_good &= measure(limits, static_cast<std::uint64_t>(seed), segment_s);
  return is_good ? 0 : 1;
}
