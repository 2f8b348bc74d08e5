// SPDX-License-Identifier: Apache-2.0
#include "papi/reading_cost.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "papi/thread_counters.hpp"

namespace meridian {

std::optional<double> reading_cost_ns(const CounterPlan& plan) {
  using Clock = std::chrono::steady_clock;
  constexpr int kSeries = 31, kReadings = 64;
  ThreadCounters counters;
  const char* why = "";
  if (!start_counters(plan, counters, why)) return std::nullopt;
  std::array<double, kSeries> ns{};
  for (double& each : ns) {
    const auto begin = Clock::now();
    for (int i = 0; i < kReadings; ++i) read_counters(counters, counters.at_enter);
    each = std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kReadings;
  }
  const bool has_failed = counters.has_failed;
  stop_counters(plan, counters);
  if (has_failed) return std::nullopt;
  std::ranges::nth_element(ns, ns.begin() + kSeries / 2);
  return ns[kSeries / 2];
}

}  // namespace meridian
