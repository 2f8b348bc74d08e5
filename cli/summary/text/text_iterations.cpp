// SPDX-License-Identifier: Apache-2.0
// Section ITERATIONS: phases that repeat themselves, with their slow iterations and drifts.

#include <fmt/format.h>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {

std::string iterations_section(const Summary& summary, const Paint& paint) {
  if (summary.phases.empty()) return {};
  Table table{{{"begin with", Align::left, Shortening::function},
               {"at", Align::left, Shortening::place},
               {"count"},
               {"from"},
               {"to"},
               {"mean"},
               {"sd"},
               {"min"},
               {"max"}}};
  for (const PhaseSummary& row : summary.phases)
    table.add({printable(row.function) + (row.unit == "instance" ? " (instances)" : ""), printable(row.place),
               human_count(row.iterations), human_duration(row.begin_s), human_duration(row.end_s),
               human_duration(row.mean_s), human_duration(row.sd_s), human_duration(row.min_s),
               human_duration(row.max_s)});
  std::string result =
      paint.heading("ITERATIONS") + "\n" + table.text([&](const std::string& line) { return paint.title(line); });
  std::size_t shown = 0;
  for (const IterationFindingSummary& row : summary.iteration_findings) {
    if (shown++ == kTopRows) break;
    const std::string where = summary.phases.size() > 1 && row.phase < summary.phases.size()
                                  ? fmt::format("{}: ", summary.phases[row.phase].function)
                                  : "";
    result += wrapped(printable(where + row.text), kIndent, prose_width());
  }
  if (const std::size_t all = summary.iteration_findings.size(); all > kTopRows)
    result += fmt::format("  {} more: table iteration_findings of --json\n", all - kTopRows);
  return result;
}

}  // namespace meridian
