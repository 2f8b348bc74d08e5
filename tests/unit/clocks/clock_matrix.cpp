// Prints the table of acceptance figures: clock_matrix [SEEDS [SCENARIO]].

#include <cstdio>
#include <cstdlib>
#include <string>

#include "clock_scenarios.hpp"
#include "clock_simulator.hpp"

int main(int count, char** arguments) {
  using namespace meridian;
  using namespace meridian::test;
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 3;
  const std::string only = count > 2 ? arguments[2] : "";
  std::printf("%-12s %4s | %7s %7s %8s | %5s | %6s %6s %6s %5s | %6s %5s | %7s %9s | %8s\n", "scenario", "seed", "p50/L",
              "p99/L", "max/L", "rev", "T1 p50", "T1 p99", "T2 p50", "unc%", "out T1", "T2", "lin p99", "dist ns", "Mmsg/s");
  for (const Scenario& base : acceptance_scenarios()) {
    if (!only.empty() && base.name != only) continue;
    for (int seed = 1; seed <= seeds; ++seed) {
      Scenario scenario = base;
      scenario.seed = static_cast<std::uint64_t>(seed);
      const SimulatedRun run{scenario};
      ClockOptions options; if (getenv("SEG")) options.segment_s = atof(getenv("SEG")); const ClockTrial trial{run, options};
      const ClockTrial linear{run, ClockModel::linear};
      const ErrorFigures error = errors(run, trial.clocks), line = errors(run, linear.clocks);
      const BoundFigures t1 = bounds(run, trial.clocks, BoundLevel::t1), t2 = bounds(run, trial.clocks, BoundLevel::t2);
      std::printf("%-12s %4d | %7.4f %7.4f %8.4f | %5llu | %6.2f %6.2f %6.2f %5.2f | %6llu %5llu | %7.2f %9.1f | %8.2f\n",
                  scenario.name.c_str(), seed, error.p50, error.p99, error.max,
                  static_cast<unsigned long long>(trial.reversed), t1.p50, t1.p99, t2.p50,
                  100.0 * static_cast<double>(t1.uncertified) / static_cast<double>(t1.points),
                  static_cast<unsigned long long>(t1.outside), static_cast<unsigned long long>(t2.outside), line.p99,
                  worst_distortion(run, trial.clocks, scenario.drift == Drift::slewed ? 25 : 1),
                  static_cast<double>(run.messages.size()) / trial.fit_s / 1e6);
      std::fflush(stdout);
    }
  }
  return 0;
}
