// SPDX-License-Identifier: Apache-2.0
// Measures what half and double of each number in merger/model/clock_tuning.def do to the clocks of simulated runs:
// clock_tuning [NAME | NAME=VALUE]... Prints a row for each number; without names, for all. With a value: what that
// does.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "clock_scenarios.hpp"
#include "merger/model/clock_tuning.hpp"

#ifndef MERIDIAN_CLOCK_TUNING_VARIES
#error "built with numbers that cannot be varied"
#endif

namespace {

using namespace meridian;
using namespace meridian::test;

constexpr int kMoments = 500;

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all{
      {.name = "ring"},
      {.name = "torus", .pattern = Pattern::torus},
      {.name = "slewed", .drift = Drift::slewed},
      {.name = "sparse", .only_every = 100},
      {.name = "one-way", .pattern = Pattern::one_way},
      {.name = "behind", .only_every = 100, .collective_every = 0},
      {.name = "epochs", .pattern = Pattern::none, .epoch_s = 10},
      {.name = "star+ring", .epoch_s = 10},
      {.name = "step 30 us", .sets = {{3, 20, 3e4}}},
      {.name = "step -1 ms", .sets = {{3, 20, -1e6}}},
      {.name = "reference 1 ms", .sets = {{0, 20, 1e6}}},
      {.name = "two steps", .sets = {{3, 20, 1e6}, {4, 20.003, -3e6}}},
      {.name = "suspended 10 s", .sets = {{4, 20, 0, 10}}},
  };
  for (Scenario& one : all) one.hosts = 8, one.seconds = 60;
  return all;
}

struct Figures {
  double error = 0;        ///< 99 %, in L
  double width = 0;        ///< of T1, median, in L
  double uncertified = 0;  ///< share
  std::uint64_t outside = 0, reversed = 0;
};

Figures measure(const SimulatedRun& run) {
  const ClockTrial trial{run, ClockModel::meridian};
  const BoundFigures t1 = bounds(run, trial.clocks, BoundLevel::t1, kMoments);
  const BoundFigures t2 = bounds(run, trial.clocks, BoundLevel::t2, kMoments);
  return {errors(run, trial.clocks, kMoments).p99, t1.p50,
          static_cast<double>(t1.uncertified) / static_cast<double>(t1.points), t1.outside + t2.outside,
          trial.reversed};
}

/// Clear differences: errors by 30 %, widths by 15 %, the share of times without a bound by half a percent.
std::string difference(const Figures& was, const Figures& is) {
  std::string text;
  char part[80];
  const auto add = [&](const char* format, auto... values) {
    std::snprintf(part, sizeof part, format, values...);
    text += (text.empty() ? "" : ", ") + std::string{part};
  };
  if (is.outside > was.outside) add("%llu false bounds", static_cast<unsigned long long>(is.outside));
  if (is.reversed > 2 * was.reversed + 2) add("%llu reversed", static_cast<unsigned long long>(is.reversed));
  if (is.error > 1.3 * was.error + 0.005 || is.error < was.error / 1.3 - 0.005)
    add("error x%.2g", is.error / was.error);
  if (is.width > 1.15 * was.width || is.width < was.width / 1.15) add("bounds x%.2g", is.width / was.width);
  const double unbound = is.uncertified - was.uncertified;
  if (unbound > 0.005 || unbound < -0.005) add("%+.1f %% unbound", 100 * unbound);
  return text;
}

class Tuning {
 public:
  Tuning() {
    for (const Scenario& one : scenarios()) runs_.emplace_back(one);
    for (const SimulatedRun& run : runs_) {
      usual_.push_back(measure(run));
      const Figures& one = usual_.back();
      std::printf("# %-15s error %.4f, T1 %.3f, unbound %.2f %%, outside %llu, reversed %llu\n",
                  run.scenario.name.c_str(), one.error, one.width, 100 * one.uncertified,
                  static_cast<unsigned long long>(one.outside), static_cast<unsigned long long>(one.reversed));
    }
  }

  template <class Number>
  void set(const char* name, Number& number, double value) const {
    const Number usual = number;
    number = static_cast<Number>(value);
    std::printf("%s=%g|%s\n", name, value, differences().c_str());
    number = usual;
  }

  template <class Number>
  void vary(const char* name, Number& number) const {
    const Number usual = number;
    number = usual / 2 == Number{} ? usual : usual / 2;  // an integer of 1 has no half
    const std::string half = differences();
    number = usual * 2;
    const std::string twice = differences();
    number = usual;
    if (half.empty() && twice.empty())
      std::printf("%s|no effect\n", name);
    else
      std::printf("%s|half: %s; double: %s\n", name, half.empty() ? "no effect" : half.c_str(),
                  twice.empty() ? "no effect" : twice.c_str());
    std::fflush(stdout);
  }

 private:
  std::string differences() const {
    std::string text;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (const std::string one = difference(usual_[i], measure(runs_[i])); !one.empty())
        text += (text.empty() ? "" : "; ") + runs_[i].scenario.name + " " + one;
    return text;
  }

  std::vector<SimulatedRun> runs_;
  std::vector<Figures> usual_;
};

}  // namespace

int main(int count, char** arguments) {
  const Tuning tuning;
  const std::vector<std::string_view> wanted{arguments + 1, arguments + count};
  const auto try_one = [&](std::string_view name, auto& number) {
    if (wanted.empty()) tuning.vary(name.data(), number);
    for (const std::string_view one : wanted) {
      if (one == name) tuning.vary(name.data(), number);
      if (one.starts_with(name) && one.substr(name.size()).starts_with('='))
        tuning.set(name.data(), number, std::atof(one.substr(name.size() + 1).data()));
    }
  };
#define MERIDIAN_CLOCK_TUNING(type, name, value, unit, text, effect) try_one(#name, ClockTuning::name);
#define MERIDIAN_CLOCK_LIST(...)
#define MERIDIAN_CLOCK_SIZE(...)
#include "merger/model/clock_tuning.def"
}
