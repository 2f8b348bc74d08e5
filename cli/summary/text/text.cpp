// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

template <auto section>
std::string all_rows(const Summary& summary, const Paint& paint, std::size_t) {
  return section(summary, paint);
}

template <auto section>
std::string with_rows(const Summary& summary, const Paint& paint, std::size_t) {
  return section(summary, paint, kTopRows);
}

std::string verdict_text(const Summary& summary, const Paint& paint, std::size_t) {
  return verdict_section(summary, paint, VerdictLength::whole);
}

std::string ranks_text(const Summary& summary, const Paint& paint, std::size_t) {
  return ranks_section(summary, paint);
}

std::string finding_text(const Finding& finding, const Paint& paint) {
  std::string result =
      fmt::format("  {}  {}  ({})\n", paint.severity(finding.severity, severity_name(finding.severity)),
                  shortened(printable(finding.name), 40), human_count(finding.count));
  result += wrapped(printable(finding.text + " " + finding.remedy), 2 * kIndent, prose_width());
  if (!finding.detail.empty()) result += wrapped(printable(finding.detail), 2 * kIndent, prose_width());
  return result;
}

}  // namespace

std::string findings_text(const Summary& summary, const Paint& paint) {
  std::string result = paint.heading("FINDINGS") + "\n";
  if (summary.findings.empty()) return result + "  none\n";
  for (const Severity severity : {Severity::error, Severity::data_loss, Severity::info})
    for (const Finding& finding : summary.findings)
      if (finding.severity == severity) result += finding_text(finding, paint);
  return result;
}

std::string overhead_section(const Summary& summary, const Paint& paint) {
  if (summary.overhead.empty()) return {};
  Table table{{{"tracer's own work", Align::left}, {"count"}, {"time"}, {"of the run"}}};
  double total_s = 0;
  double share = 0;
  for (const OverheadSummary& row : summary.overhead) {
    table.add({printable(row.name), human_count(row.count), human_duration(row.total_s), human_percent(row.share)});
    total_s += row.total_s;
    share += row.share;
  }
  table.add({"all", "", human_duration(total_s), human_percent(share)});
  return paint.heading("OVERHEAD") + "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

std::span<const TextSection> text_sections() {
  static constexpr std::array kSections{
      TextSection{"verdict", &verdict_text},
      TextSection{"run", &all_rows<&run_section>},
      TextSection{"worlds", &all_rows<&worlds_section>},
      TextSection{"context", &all_rows<&context_section>},
      TextSection{"ranks", &ranks_text},
      TextSection{"efficiency", &all_rows<&efficiency_section>},
      TextSection{"energy", &all_rows<&energy_section>},
      TextSection{"functions", &with_rows<&functions_section>},
      TextSection{"program", &with_rows<&program_section>},
      TextSection{"waits", &with_rows<&waits_section>},
      TextSection{"wait-pairs", &all_rows<&wait_pairs_section>},
      TextSection{"delays", &all_rows<&delays_section>},
      TextSection{"iterations", &all_rows<&iterations_section>},
      TextSection{"counters", &all_rows<&counters_section>},
      TextSection{"sites", &sites_section},
      TextSection{"paths", &paths_section},
      TextSection{"regions", &all_rows<&regions_section>},
      TextSection{"region-counters", &all_rows<&region_counters_section>},
      TextSection{"user-events", &all_rows<&user_events_section>},
      TextSection{"locks", &all_rows<&locks_section>},
      TextSection{"threads", &all_rows<&threads_section>},
      TextSection{"filtered", &all_rows<&passed_section>},
      TextSection{"messages", &all_rows<&messages_section>},
      TextSection{"pairs", &all_rows<&pairs_section>},
      TextSection{"communicators", &all_rows<&communicators_section>},
      TextSection{"windows", &all_rows<&windows_section>},
      TextSection{"files", &all_rows<&files_section>},
      TextSection{"tables", &all_rows<&tables_section>},
      TextSection{"clocks", &all_rows<&clocks_section>},
      TextSection{"overhead", &all_rows<&overhead_section>},
      TextSection{"findings", &all_rows<&findings_text>},
  };
  return kSections;
}

std::string summary_text(const Summary& summary, const Paint& paint, std::size_t sites) {
  std::string result;
  for (const TextSection& section : text_sections()) {
    const std::string text = section.text(summary, paint, sites);
    if (!text.empty()) result += (result.empty() ? "" : "\n") + text;
  }
  return result;
}

}  // namespace meridian
