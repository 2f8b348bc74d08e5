// SPDX-License-Identifier: Apache-2.0
// Section COUNTED IN REGIONS: counter values in the program's regions, and derived metrics.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostRows = 40;

/// A metric of a region for one part of its time; "-": not available.
std::string metric_cell(const Summary& summary, const std::string& region, const char* part, const std::string& name) {
  for (const RegionMetricSummary& metric : summary.region_metrics)
    if (metric.region == region && metric.part == part && metric.name == name) return human_figure(metric.value);
  return "-";
}

std::string counters_table(const Summary& summary, const Paint& paint) {
  Table table{{{"region", Align::left},
               {"counter", Align::left},
               {"all"},
               {"itself"},
               {"outside MPI"},
               {"in MPI"},
               {"outside/s"}}};
  const auto& rows = summary.region_counters;
  for (std::size_t i = 0; i < std::min(kMostRows, rows.size()); ++i) {
    const RegionCounterSummary& row = rows[i];
    const bool is_first = i == 0 || rows[i - 1].region != row.region;
    table.add({is_first ? printable(row.region) : "", printable(row.counter), human_counted(row.total, row.unit),
               human_counted(row.exclusive, row.unit), human_counted(row.compute, row.unit),
               human_counted(row.mpi, row.unit),
               metric_cell(summary, row.region, "compute", row.counter + " per second")});
  }
  return table.text([&](const std::string& line) { return paint.title(line); });
}

std::string figures_table(const Summary& summary, const Paint& paint) {
  Table table{{{"region", Align::left}, {"figure", Align::left}, {"outside MPI"}, {"in MPI"}}};
  std::vector<std::pair<std::string, std::string>> shown;
  for (const RegionMetricSummary& metric : summary.region_metrics) {
    const std::pair key{metric.region, metric.name};
    if (metric.name.ends_with(" per second") || shown.size() == kMostRows ||
        std::find(shown.begin(), shown.end(), key) != shown.end())
      continue;
    const bool is_first = shown.empty() || shown.back().first != metric.region;
    shown.push_back(key);
    table.add({is_first ? printable(metric.region) : "", printable(metric.name),
               metric_cell(summary, metric.region, "compute", metric.name),
               metric_cell(summary, metric.region, "mpi", metric.name)});
  }
  return table.empty() ? std::string{} : table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace

std::string region_counters_section(const Summary& summary, const Paint& paint) {
  if (summary.region_counters.empty()) return {};
  std::string text = paint.heading("COUNTED IN REGIONS (all ranks; itself: without the regions inside)") + "\n" +
                     counters_table(summary, paint) + figures_table(summary, paint);
  if (summary.region_counters.size() > kMostRows)
    text +=
        fmt::format("  ({} of {} rows; all of them with --csv or --json)\n", kMostRows, summary.region_counters.size());
  return text;
}

}  // namespace meridian
