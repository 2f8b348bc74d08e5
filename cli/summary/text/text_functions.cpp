// SPDX-License-Identifier: Apache-2.0
// Section FUNCTIONS: the ten with the most time, the ten with the most calls.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

std::string top_table(const std::vector<const FunctionSummary*>& functions, const Paint& paint, std::size_t most) {
  Table table{{{"function", Align::left, Shortening::function},
               {"calls"},
               {"total"},
               {"mean"},
               {"min"},
               {"max"},
               {"sd"},
               {"bytes"}}};
  for (std::size_t i = 0; i < std::min(most, functions.size()); ++i) {
    const FunctionSummary& function = *functions[i];
    table.add({printable(function.name), human_count(function.count), human_duration(function.total_s),
               human_duration(function.mean_s), human_duration(function.min_s), human_duration(function.max_s),
               human_duration(function.sd_s),
               human_bytes(static_cast<double>(function.bytes_sent) + static_cast<double>(function.bytes_received))});
  }
  return table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace

std::string functions_section(const Summary& summary, const Paint& paint, std::size_t most) {
  if (summary.functions.empty()) return {};
  std::vector<const FunctionSummary*> order;
  for (const FunctionSummary& function : summary.functions) order.push_back(&function);
  const auto by_total = [](const FunctionSummary* a, const FunctionSummary* b) {
    return a->total_s != b->total_s ? a->total_s > b->total_s : a->name < b->name;
  };
  const auto by_count = [](const FunctionSummary* a, const FunctionSummary* b) {
    return a->count != b->count ? a->count > b->count : a->name < b->name;
  };
  std::sort(order.begin(), order.end(), by_total);
  const std::string shown = how_many(std::min(most, order.size()), order.size());
  std::string result = paint.heading(fmt::format("FUNCTIONS BY TIME ({}; bytes: sent + received)", shown)) + "\n";
  result += top_table(order, paint, most);
  if (order.size() <= most || most < kTopRows) return result;
  std::sort(order.begin(), order.end(), by_count);
  return result + "\n" + paint.heading(fmt::format("FUNCTIONS BY CALLS ({})", shown)) + "\n" +
         top_table(order, paint, most);
}

}  // namespace meridian
