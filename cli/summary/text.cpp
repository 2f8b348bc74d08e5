// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "summary/advice.hpp"
#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

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

std::string advice_section(const Summary& summary, const Paint& paint) {
  std::string result = paint.heading("WHAT TO DO NEXT") + "\n";
  for (const std::string& sentence : advise(summary)) {
    std::string paragraph = wrapped(printable(sentence), 2 * kIndent, prose_width());
    paragraph[kIndent] = '*';
    result += paragraph;
  }
  return result;
}

std::string summary_text(const Summary& summary, const Paint& paint, std::size_t sites) {
  std::string result;
  const std::array sections{
      verdict_section(summary, paint),       run_section(summary, paint),      worlds_section(summary, paint),
      context_section(summary, paint),       ranks_section(summary, paint),    efficiency_section(summary, paint),
      functions_section(summary, paint),     waits_section(summary, paint),    wait_pairs_section(summary, paint),
      delays_section(summary, paint),        counters_section(summary, paint), sites_section(summary, paint, sites),
      paths_section(summary, paint, sites),  regions_section(summary, paint),  region_counters_section(summary, paint),
      user_events_section(summary, paint),   locks_section(summary, paint),    threads_section(summary, paint),
      passed_section(summary, paint),        messages_section(summary, paint), pairs_section(summary, paint),
      communicators_section(summary, paint), windows_section(summary, paint),  files_section(summary, paint),
      tables_section(summary, paint),        clocks_section(summary, paint),   overhead_section(summary, paint),
      findings_text(summary, paint),         advice_section(summary, paint)};
  for (const std::string& section : sections) {
    if (section.empty()) continue;
    if (!result.empty()) result += "\n";
    result += section;
  }
  return result;
}

}  // namespace meridian
