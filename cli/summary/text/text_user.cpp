// SPDX-License-Identifier: Apache-2.0
// Sections REGIONS and EVENTS OF THE PROGRAM: the program's user events.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kTopEvents = 20;

std::string rows_shown(std::size_t rows) {
  return rows <= kTopEvents ? fmt::format("all {}", rows) : fmt::format("{} of {}", kTopEvents, rows);
}

}  // namespace

std::string regions_section(const Summary& summary, const Paint& paint) {
  if (summary.regions.empty()) return {};
  Table table{{{"region", Align::left}, {"times"}, {"total"}, {"itself"}, {"in MPI"}, {"min"}, {"max"}}};
  for (std::size_t i = 0; i < std::min(kTopEvents, summary.regions.size()); ++i) {
    const RegionSummary& region = summary.regions[i];
    table.add({printable(region.name), human_count(region.count), human_duration(region.total_s),
               human_duration(region.exclusive_s), human_duration(region.mpi_s), human_duration(region.min_s),
               human_duration(region.max_s)});
  }
  return paint.heading(
             fmt::format("REGIONS ({}; itself: without the regions inside)", rows_shown(summary.regions.size()))) +
         "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

std::string passed_section(const Summary& summary, const Paint& paint) {
  if (summary.passed.empty()) return {};
  struct Sum {
    std::string name, group;
    std::uint64_t ranks = 0, calls = 0;
  };
  std::map<std::string, Sum> by_name;
  for (const PassedSummary& row : summary.passed) {
    Sum& sum = by_name[row.name];
    sum = {row.name, row.group, sum.ranks + 1, sum.calls + row.count};
  }
  std::vector<Sum> sums;
  sums.reserve(by_name.size());
  for (const auto& [name, sum] : by_name) sums.push_back(sum);
  std::ranges::stable_sort(sums, std::ranges::greater{}, &Sum::calls);
  Table table{{{"function", Align::left}, {"group", Align::left}, {"ranks"}, {"calls"}}};
  for (std::size_t i = 0; i < std::min(kTopEvents, sums.size()); ++i)
    table.add({printable(sums[i].name), sums[i].group, human_count(sums[i].ranks), human_count(sums[i].calls)});
  return paint.heading(fmt::format("FILTERED OUT ({})", rows_shown(sums.size()))) + "\n" +
         table.text([&](const std::string& line) { return paint.title(line); });
}

std::string user_events_section(const Summary& summary, const Paint& paint) {
  if (summary.user_events.empty()) return {};
  Table table{{{"event", Align::left}, {"kind", Align::left}, {"count"}, {"min"}, {"mean"}, {"max"}, {"last"}}};
  for (std::size_t i = 0; i < std::min(kTopEvents, summary.user_events.size()); ++i) {
    const UserEventSummary& event = summary.user_events[i];
    const auto value = [&](double number) {
      if (event.kind != "counter") return std::string{};
      return std::isnan(number) ? std::string{"unknown"} : fmt::format("{:.4g}", number);
    };
    const std::string name = event.kind == "event" ? event.level + "." + event.name : event.name;
    table.add({printable(name), event.kind, human_count(event.count), value(event.min), value(event.mean),
               value(event.max), value(event.last)});
  }
  std::string result =
      paint.heading(fmt::format("EVENTS OF THE PROGRAM ({})", rows_shown(summary.user_events.size()))) + "\n" +
      table.text([&](const std::string& line) { return paint.title(line); });
  if (summary.user_messages != 0)
    result += fmt::format("  {} messages of its own, {}, are matched\n", human_count(summary.user_messages),
                          human_bytes(summary.user_message_bytes));
  return result;
}

}  // namespace meridian
