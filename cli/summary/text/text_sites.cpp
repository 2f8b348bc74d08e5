// SPDX-License-Identifier: Apache-2.0
// Section CALL SITES: the source locations with the most time.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

/// "halo2d.c:120"; without a line "halo2d+0x1234".
std::string place_of(const SiteSummary& site) {
  return printable(line_text({site.caller, site.file, site.line, site.module, site.offset}));
}

/// Without arguments, which would fill the line. For inlined code, the function that contains it.
std::string caller_of(const SiteSummary& site) {
  return printable(without_parameters(without_copy_marks(site.caller)));
}

}  // namespace

std::string sites_section(const Summary& summary, const Paint& paint, std::size_t most) {
  if (summary.sites.empty() || most == 0) return {};
  const std::size_t shown = std::min(most, summary.sites.size());
  Table table{{{"called at", Align::left},
               {"in", Align::left, Shortening::function},
               {"function", Align::left, Shortening::function},
               {"calls"},
               {"total"},
               {"share"},
               {"bytes"}}};
  for (std::size_t i = 0; i < shown; ++i) {
    const SiteSummary& site = summary.sites[i];
    table.add({place_of(site), caller_of(site), printable(site.function), human_count(site.count),
               human_duration(site.total_s), human_percent(site.share),
               human_bytes(static_cast<double>(site.bytes_sent) + static_cast<double>(site.bytes_received))});
  }
  const auto without_line = std::ranges::count(summary.sites, 0U, &SiteSummary::line);
  return paint.heading(fmt::format("CALL SITES BY TIME ({}; share: without MPI_Init and MPI_Finalize)",
                                   how_many(shown, summary.sites.size()))) +
         "\n" + table.text([&](const std::string& line) { return paint.title(line); }) +
         (without_line == 0 ? "" : fmt::format("  {} without a source line: compile with -g\n", without_line));
}

}  // namespace meridian
