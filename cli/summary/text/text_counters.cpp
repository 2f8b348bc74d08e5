// SPDX-License-Identifier: Apache-2.0
// Section COUNTERS: values outside and in MPI, derived metrics, and the calls with the largest values.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kRankRows = 32;

/// The metric over all ranks; null if there is none.
const MetricSummary* find_metric(const Summary& summary, const std::string& part, const std::string& name) {
  for (const MetricSummary& metric : summary.metrics)
    if (metric.rank == -1 && metric.part == part && metric.name == name) return &metric;
  return nullptr;
}

std::string metric_cell(const Summary& summary, const std::string& part, const std::string& name) {
  const MetricSummary* const metric = find_metric(summary, part, name);
  return metric == nullptr ? "-" : human_figure(metric->value);
}

std::string totals_table(const Summary& summary, const Paint& paint) {
  struct Sums {
    std::string unit;
    std::int64_t compute = 0, mpi = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Sums> sums;
  for (const CounterSummary& row : summary.counters) {
    const auto [at, is_new] = sums.try_emplace(row.name);
    if (is_new) order.push_back(row.name);
    at->second.unit = row.unit;
    at->second.compute += row.compute;
    at->second.mpi += row.mpi;
  }
  Table table{{{"counter, all ranks", Align::left}, {"outside MPI"}, {"in MPI"}, {"outside/s"}, {"in MPI/s"}}};
  for (const std::string& name : order)
    table.add({printable(name), human_counted(sums[name].compute, sums[name].unit),
               human_counted(sums[name].mpi, sums[name].unit), metric_cell(summary, "compute", name + " per second"),
               metric_cell(summary, "mpi", name + " per second")});
  return table.text([&](const std::string& line) { return paint.title(line); });
}

std::string metrics_table(const Summary& summary, const Paint& paint) {
  Table table{{{"figure, all ranks", Align::left}, {"outside MPI"}, {"in MPI"}}};
  std::vector<std::string> shown;
  for (const MetricSummary& metric : summary.metrics) {
    if (metric.rank != -1 || metric.name.ends_with(" per second") ||
        std::find(shown.begin(), shown.end(), metric.name) != shown.end())
      continue;
    shown.push_back(metric.name);
    table.add({printable(metric.name), metric_cell(summary, "compute", metric.name),
               metric_cell(summary, "mpi", metric.name)});
  }
  return table.empty() ? std::string{} : table.text([&](const std::string& line) { return paint.title(line); });
}

std::string ranks_table(const Summary& summary, const Paint& paint) {
  if (summary.ranks.size() < 2) return {};
  Table table{{{"rank"}, {"counter", Align::left}, {"outside MPI"}, {"in MPI"}}};
  for (std::size_t i = 0; i < std::min(kRankRows, summary.counters.size()); ++i) {
    const CounterSummary& row = summary.counters[i];
    table.add({fmt::format("{}", row.rank), printable(row.name), human_counted(row.compute, row.unit),
               human_counted(row.mpi, row.unit)});
  }
  std::string text = table.text([&](const std::string& line) { return paint.title(line); });
  if (summary.counters.size() > kRankRows)
    text += fmt::format("  ({} of {} rows; all of them with --csv or --json)\n", kRankRows, summary.counters.size());
  return text;
}

/// The functions with the largest values of the first counter.
std::string functions_table(const Summary& summary, const Paint& paint) {
  const std::string& counter = summary.counters.front().name;
  std::vector<const FunctionCounterSummary*> rows;
  for (const FunctionCounterSummary& row : summary.function_counters)
    if (row.counter == counter && row.total != 0) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->total > b->total; });
  if (rows.empty()) return {};
  Table table{{{"in calls of", Align::left}, {printable(counter)}}};
  for (std::size_t i = 0; i < std::min(kTopRows, rows.size()); ++i)
    table.add({printable(rows[i]->function), human_counted(rows[i]->total, summary.counters.front().unit)});
  return table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace

std::string counters_section(const Summary& summary, const Paint& paint) {
  if (summary.counters.empty()) return {};
  return paint.heading("COUNTERS") + "\n" + totals_table(summary, paint) + metrics_table(summary, paint) +
         ranks_table(summary, paint) + functions_table(summary, paint);
}

}  // namespace meridian
