// SPDX-License-Identifier: Apache-2.0
// Section CLOCKS: one row per clock and host, or the most important ones.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/clock_verdict.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kClocksInFull = 16;
constexpr std::size_t kWorst = 5;
constexpr std::size_t kRanksWidth = 11;

/// "0-3,8,10-11", shortened if it is long.
std::string rank_list(std::vector<std::int32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (text.size() > kRanksWidth) break;
    if (!text.empty()) text += ",";
    text += end - i == 1 ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[end - 1]);
    i = end;
  }
  return shortened(text, kRanksWidth);
}

std::string offset_text(double offset_s) {
  if (!std::isfinite(offset_s)) return "-";
  if (std::fabs(offset_s) < 1e6) return fmt::format("{:+.9f}", offset_s);
  return std::fabs(offset_s) < 1e12 ? fmt::format("{:+.3f}", offset_s) : human_duration(offset_s);
}

std::string drift_text(double drift_ppm) {
  if (!std::isfinite(drift_ppm)) return "-";
  if (std::fabs(drift_ppm) < 1e4) return fmt::format("{:+.3f}", drift_ppm + 0.0);
  return std::fabs(drift_ppm) < 1e8 ? fmt::format("{:+.0f}", drift_ppm) : drift_ppm < 0 ? "< -1e8" : "> 1e8";
}

/// Half the width of a bound.
std::string bound_text(double half_s) { return half_s < 0 ? "-" : human_duration(half_s); }

/// One line for each model.
std::string models_text(const Summary& summary, const Paint& paint) {
  if (summary.clock_models.empty()) return {};
  Table table{{{"clock model", Align::left}, {"messages"}, {"reversed"}, {"worst"}, {"residual"}, {"", Align::left}}};
  for (const ClockModelSummary& model : summary.clock_models)
    table.add({printable(model.name), human_count(model.messages), human_count(model.reversed),
               model.reversed == 0 ? "-" : human_duration(model.worst_s), human_duration(model.residual_s),
               model.is_chosen ? "in use" : ""});
  return table.text([&](const std::string& line) { return paint.title(line); });
}

/// The rows to show: all, or the reference and those with the largest residuals.
std::vector<const ClockSummary*> choose_rows(const Summary& summary) {
  std::vector<const ClockSummary*> rows;
  for (const ClockSummary& clock : summary.clocks) rows.push_back(&clock);
  if (rows.size() <= kClocksInFull) return rows;
  std::stable_sort(rows.begin() + 1, rows.end(),
                   [](const ClockSummary* a, const ClockSummary* b) { return a->residual_s > b->residual_s; });
  rows.resize(1 + kWorst);
  return rows;
}

}  // namespace

std::string clocks_section(const Summary& summary, const Paint& paint) {
  if (summary.clocks.empty()) return {};
  if (summary.clocks.size() == 1 && summary.clock_models.empty() && summary.reversed_before == 0)
    return paint.heading("CLOCKS") + "\n" + wrapped(clock_verdict(summary), kIndent, prose_width());
  const std::vector<const ClockSummary*> rows = choose_rows(summary);
  const bool has_bounds = std::ranges::any_of(rows, [](const ClockSummary* clock) { return clock->t1_s >= 0; });
  std::vector<Table::Column> columns{{"host", Align::left}, {"ranks"},   {"model"}, {"offset s"}, {"drift"},
                                     {"residual"},          {"RTT min"}, {"pings"}};
  if (has_bounds) {
    columns[5] = {"T1"};
    columns[7] = {"T2"};
  }
  Table table{columns};
  for (const ClockSummary* clock : rows) {
    const bool has_pings = clock->exchanges > 0;
    const std::string residual = has_pings ? human_duration(clock->residual_s) : "-";
    table.add({printable(clock->host), rank_list(clock->ranks), shortened(printable(clock->model), 9),
               offset_text(clock->offset_s), drift_text(clock->drift_ppm),
               has_bounds ? bound_text(clock->t1_s) : residual, has_pings ? human_duration(clock->rtt_min_s) : "-",
               has_bounds ? bound_text(clock->t2_s) : human_count(clock->exchanges)});
  }
  std::string result = paint.heading("CLOCKS (global = local + offset; drift in ppm: us per second)") + "\n";
  result += table.text([&](const std::string& line) { return paint.title(line); });
  if (rows.size() < summary.clocks.size())
    result += fmt::format("  and {} more with smaller residuals\n", human_count(summary.clocks.size() - rows.size()));
  result += models_text(summary, paint);
  if (const std::string verdict = clock_verdict(summary); !verdict.empty())
    result += wrapped(verdict, kIndent, prose_width());
  return result + fmt::format("  out of order: {} before the correction, {} after\n",
                              human_count(summary.reversed_before), human_count(summary.reversed_after));
}

}  // namespace meridian
