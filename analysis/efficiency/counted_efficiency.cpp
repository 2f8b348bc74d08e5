// SPDX-License-Identifier: Apache-2.0
#include "analysis/efficiency/counted_efficiency.hpp"

#include <string_view>

namespace meridian {
namespace {

bool counts_instructions(std::string_view name) { return name == "PAPI_TOT_INS" || name == "perf::INSTRUCTIONS"; }
bool counts_cycles(std::string_view name) { return name == "PAPI_TOT_CYC" || name == "perf::CYCLES"; }

}  // namespace

void add_counters(const Summary& summary, EfficiencySummary& row) {
  // PAPI's own counters come first; perf's are used only where these are missing.
  std::int64_t instructions = 0, cycles = 0;
  std::string_view instructions_name, cycles_name;
  const auto add = [&](std::string_view name, std::int64_t value) {
    const auto take = [&](std::string_view& chosen, std::int64_t& sum) {
      if (chosen.empty()) chosen = name;
      if (chosen == name) sum += value;
    };
    if (counts_instructions(name)) take(instructions_name, instructions);
    if (counts_cycles(name)) take(cycles_name, cycles);
  };
  if (row.scope == "run") {
    for (const CounterSummary& counter : summary.counters) add(counter.name, counter.compute);
  } else {
    for (const RegionCounterSummary& counter : summary.region_counters)
      if (counter.region == row.name) add(counter.counter, counter.compute);
  }
  if (instructions > 0) row.instructions = static_cast<std::uint64_t>(instructions);
  if (instructions > 0 && cycles > 0) row.ipc = static_cast<double>(instructions) / static_cast<double>(cycles);
  if (cycles > 0 && row.compute_s > 0) row.frequency_hz = static_cast<double>(cycles) / row.compute_s;
}

}  // namespace meridian
