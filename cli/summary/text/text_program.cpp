// SPDX-License-Identifier: Apache-2.0
// The section on functions of the program.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

/// Time of the critical path in a function; "-": unknown.
std::string on_path(const Summary& summary, const ProgramFunctionSummary& function) {
  if (summary.path_functions.empty()) return "-";
  double path_s = 0;  // it may have rows for several files
  for (const PathFunctionSummary& row : summary.path_functions)
    if (row.function == function.function && row.module == function.module) path_s += row.path_s;
  return human_duration(path_s);
}

}  // namespace

std::string program_section(const Summary& summary, const Paint& paint, std::size_t most) {
  const auto& functions = summary.program_functions;
  if (functions.empty()) return {};
  const std::size_t shown = std::min(most, functions.size());
  Table table{{{"function", Align::left, Shortening::function},
               {"at", Align::left, Shortening::path},
               {"time"},
               {"+-"},
               {"share"},
               {"on path"},
               {"with calls"},
               {"most"},
               {"rank"}}};
  for (std::size_t i = 0; i < shown; ++i) {
    const ProgramFunctionSummary& row = functions[i];
    table.add({printable(row.function), printable(row.place), human_duration(row.self_s), human_duration(row.error_s),
               human_percent(row.share), on_path(summary, row), human_duration(row.inclusive_s),
               human_duration(row.most_s),
               summary.worlds.size() > 1 ? place_in_world(summary, row.most_rank) : std::to_string(row.most_rank)});
  }
  return paint.heading(fmt::format("FUNCTIONS OF THE PROGRAM ({}; outside MPI, by samples; share: of all such time)",
                                   how_many(shown, functions.size()))) +
         "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace meridian
