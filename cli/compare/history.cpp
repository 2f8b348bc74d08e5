// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "cli/summary/csv.hpp"
#include "cli/summary/json_rows.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/support/json_text.hpp"
#include "summary/compare/comparison.hpp"
#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double figure_value(const RunProfile& run, const char* name) {
  const auto value = figure_of(run, name, {});
  return value ? *value : kUnknown;
}

HistoryRow row_of(const RunProfile& run, const RunProfile* before) {
  HistoryRow row{.source = run.source,
                 .executable = run.executable,
                 .begin_realtime_ns = run.begin_realtime_ns,
                 .begin = utc_time(run.begin_realtime_ns),
                 .ranks = run.ranks,
                 .time_s = run.time_s,
                 .time_ratio = kUnknown,
                 .parallel_efficiency = figure_value(run, "parallel_efficiency"),
                 .load_balance = figure_value(run, "load_balance"),
                 .communication_efficiency = figure_value(run, "communication_efficiency"),
                 .mpi_share = figure_value(run, "mpi_share"),
                 .largest_change = {},
                 .largest_change_s = kUnknown};
  if (before == nullptr) return row;
  row.time_ratio = run.time_s / before->time_s;
  const Comparison comparison = compare_groups({.label = {}, .runs = {*before}}, {.label = {}, .runs = {run}});
  for (const ItemChange& change : comparison.changes) {
    const bool is_part = change.subject == Subject::function || change.subject == Subject::region ||
                         (change.subject == Subject::state && change.name == "compute");
    if (!is_part || !change.is_notable) continue;
    if (std::isfinite(row.largest_change_s) && std::fabs(row.largest_change_s) >= std::fabs(change.change_s)) continue;
    row.largest_change = change.name;
    row.largest_change_s = change.change_s;
  }
  return row;
}

}  // namespace

History make_history(std::vector<RunProfile> runs) {
  std::ranges::stable_sort(runs, [](const RunProfile& a, const RunProfile& b) {
    return std::tie(a.begin_realtime_ns, a.source) < std::tie(b.begin_realtime_ns, b.source);
  });
  History history;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunProfile* before = nullptr;
    for (std::size_t j = 0; j < i; ++j)
      if (runs[j].executable == runs[i].executable && runs[j].ranks == runs[i].ranks) before = &runs[j];
    history.rows.push_back(row_of(runs[i], before));
  }
  return history;
}

std::string history_text(const History& history, const Paint& paint) {
  const bool is_one_program = std::ranges::all_of(
      history.rows, [&](const HistoryRow& row) { return row.executable == history.rows.front().executable; });
  std::vector<Table::Column> columns{{"begun (UTC)", Align::left}};
  if (!is_one_program) columns.push_back({"program", Align::left});
  for (const char* const title : {"ranks", "time", "change", "parallel", "balance"}) columns.push_back({title});
  columns.push_back({"largest change", Align::left});
  Table table{std::move(columns)};
  for (const HistoryRow& row : history.rows) {
    std::vector<std::string> cells{row.begin.empty() ? "-" : row.begin.substr(0, 16)};
    if (!is_one_program) cells.push_back(printable(row.executable));
    const double change = row.time_ratio - 1;
    cells.insert(cells.end(), {fmt::format("{:.0f}", row.ranks), human_duration(row.time_s),
                               std::isfinite(change) ? fmt::format("{:+.1f} %", change * 100) : "",
                               human_percent(row.parallel_efficiency), human_percent(row.load_balance),
                               row.largest_change.empty()
                                   ? ""
                                   : fmt::format("{}{} {}", row.largest_change_s > 0 ? "+" : "",
                                                 human_duration(row.largest_change_s), printable(row.largest_change))});
    table.add(std::move(cells));
  }
  std::string text =
      paint.heading(fmt::format("HISTORY ({} runs{}; change: since the last one like it)", history.rows.size(),
                                is_one_program ? " of " + printable(history.rows.front().executable) : "")) +
      "\n" + table.text([&](const std::string& line) { return paint.title(line); });
  for (const std::string& sentence : history.skipped)
    text += wrapped("Left out: " + printable(sentence), kIndent, prose_width());
  if (history.unmerged > 0)
    text += wrapped(fmt::format("{} further {} not been merged.", history.unmerged,
                                history.unmerged == 1 ? "trace has" : "traces have"),
                    kIndent, prose_width());
  return text;
}

std::string history_json(const History& history) {
  nlohmann::ordered_json json;
  json["schema"] = "meridian-history";
  json["version"] = 1;
  json["runs"] = json_rows(HistoryRow::kColumns<>, history.rows);
  json["skipped"] = history.skipped;
  json["unmerged"] = history.unmerged;
  return json_text(json);
}

std::string history_csv(const History& history) {
  std::string csv;
  add_csv_rows({"history", HistoryRow::kColumns<>, history.rows.data(), history.rows.size(), sizeof(HistoryRow)}, csv);
  return csv;
}

}  // namespace meridian
