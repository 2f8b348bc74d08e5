// SPDX-License-Identifier: Apache-2.0
// Section ENERGY: what the hosts used, by zone, by region of the program, and by iteration.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostZones = 16;

std::string zones_text(const Summary& summary, const Paint& paint) {
  Table table{{{"host", Align::left}, {"zone", Align::left}, {"energy"}, {"power"}, {"time"}, {"added", Align::left}}};
  const std::size_t shown = std::min(kMostZones, summary.energy.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const EnergySummary& row = summary.energy[i];
    table.add({printable(row.host), printable(row.zone), human_joules(row.joules), human_watts(row.watts),
               human_duration(row.time_s), row.is_added ? "yes" : fmt::format("no ({})", printable(row.kind))});
  }
  std::string result = table.text([&](const std::string& line) { return paint.title(line); });
  if (shown < summary.energy.size())
    result += fmt::format("  {} more: table energy of --json\n", summary.energy.size() - shown);
  return result;
}

/// Energy by region, added up over the hosts, largest first.
std::string region_energy_text(const Summary& summary, const Paint& paint) {
  if (summary.energy_regions.empty()) return {};
  std::map<std::string, RegionEnergySummary> of_name;
  for (const RegionEnergySummary& row : summary.energy_regions) {
    RegionEnergySummary& sum = of_name[row.region];
    sum.region = row.region;
    sum.count += row.count;
    sum.joules += row.joules;
    sum.watts += row.watts;
  }
  std::vector<RegionEnergySummary> regions;
  for (auto& [name, sum] : of_name) regions.push_back(std::move(sum));
  std::ranges::stable_sort(regions, std::greater{}, &RegionEnergySummary::joules);
  Table table{{{"region", Align::left}, {"count"}, {"energy"}, {"power"}}};
  const std::size_t shown = std::min(kTopRows, regions.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.add({printable(regions[i].region), human_count(regions[i].count), human_joules(regions[i].joules),
               human_watts(regions[i].watts)});
  std::string result = table.text([&](const std::string& line) { return paint.title(line); });
  if (shown < regions.size())
    result += fmt::format("  {} more: table energy_regions of --json\n", regions.size() - shown);
  return result;
}

/// A sentence on each phase of iterations with known energy.
std::string phase_energy_text(const Summary& summary) {
  std::string result;
  for (std::size_t i = 0; i < summary.phases.size(); ++i) {
    double joules = 0;
    for (const PhaseEnergySummary& row : summary.energy_phases)
      if (row.phase == i) joules += row.iteration_joules;
    if (joules > 0)
      result += wrapped(fmt::format("{} an iteration of {}, {} of them.", human_joules(joules),
                                    printable(summary.phases[i].function), human_count(summary.phases[i].iterations)),
                        kIndent, prose_width());
  }
  return result;
}

}  // namespace

std::string energy_text(const Summary& summary) {
  const Energy energy = measure_energy(summary);
  if (energy.hosts == 0) return {};
  return wrapped(
      fmt::format("Energy: {}, {} (processors of {}).", human_joules(energy.joules), human_watts(energy.watts),
                  energy.hosts == 1 ? "one host" : fmt::format("{} hosts", energy.hosts)),
      kIndent, prose_width());
}

std::string energy_section(const Summary& summary, const Paint& paint) {
  if (summary.energy.empty()) return {};
  return paint.heading("ENERGY (from MPI_Init to MPI_Finalize)") + "\n" + zones_text(summary, paint) +
         region_energy_text(summary, paint) + phase_energy_text(summary);
}

}  // namespace meridian
