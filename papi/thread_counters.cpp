// SPDX-License-Identifier: Apache-2.0
#include "papi/thread_counters.hpp"

#include "papi/counter_plan.hpp"

namespace meridian {

bool start_counters(const CounterPlan& plan, ThreadCounters& counters, const char*& why) noexcept {
  counters = ThreadCounters{};
  static_assert(kMaxSets == sizeof counters.first && kRusageFields <= sizeof counters.field);
  if (!start_sets(plan, counters.set, why)) return false;
  counters.count = static_cast<std::uint32_t>(plan.count);
  counters.sets = static_cast<std::uint8_t>(plan.sets);
  for (int s = 0; s < plan.sets; ++s) counters.first[s] = static_cast<std::uint8_t>(plan.set_first[s]);
  if (plan.papi != nullptr) counters.read_set = plan.papi->read;
  const int first_sde = plan.set_first[plan.sets];
  for (int i = first_sde; i < first_sde + plan.sde_count; ++i)
    counters.sde_code[counters.sde++] = static_cast<std::uint32_t>(plan.at(i).code);
  counters.read_sde = plan.read_sde;
  for (int i = first_sde + plan.sde_count; i < plan.count; ++i)
    counters.field[counters.rusage++] = static_cast<std::uint8_t>(plan.at(i).field);
  return true;
}

void stop_counters(const CounterPlan& plan, ThreadCounters& counters) noexcept { stop_sets(plan, counters.set); }

}  // namespace meridian
