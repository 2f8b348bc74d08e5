// SPDX-License-Identifier: Apache-2.0
// The text that `merge` and `stats` print unless more is asked for: what fits on two screens.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostLinesInBrief = 58;  // with the two lines that `merge` adds: 60
constexpr std::size_t kMostFindingLines = 16;
constexpr std::size_t kMostNames = 8;
constexpr std::size_t kBriefRanks = 4;

std::size_t lines_of(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Names and counts of findings of one severity: the first ones, and the number of the others.
std::string names_of(const Summary& summary, Severity severity) {
  std::string names;
  std::size_t count = 0;
  for (const Finding& finding : summary.findings) {
    if (finding.severity != severity || ++count > kMostNames) continue;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", shortened(printable(finding.name), 40),
                         human_count(finding.count));
  }
  if (count > kMostNames) names += fmt::format(" and {} more", count - kMostNames);
  return names;
}

/// Errors and losses with their texts as long as there is room, else their names; of the others the names.
std::string brief_findings(const Summary& summary, const Paint& paint) {
  Summary severe;
  std::ranges::copy_if(summary.findings, std::back_inserter(severe.findings),
                       [](const Finding& finding) { return finding.severity != Severity::info; });
  std::string result = paint.heading("FINDINGS") + "\n";
  if (summary.findings.empty()) return result + "  none\n";
  const std::string whole = severe.findings.empty() ? std::string{} : findings_text(severe, paint);
  const bool has_room = lines_of(whole) <= kMostFindingLines;
  if (has_room && !whole.empty()) result = whole;
  for (const Severity severity : {Severity::error, Severity::data_loss, Severity::info}) {
    if (severity != Severity::info && has_room) continue;
    const std::string names = names_of(summary, severity);
    if (!names.empty())
      result += wrapped(fmt::format("{}: {}", severity_name(severity), names), kIndent, prose_width());
  }
  return result;
}

struct BriefSection {
  std::string_view name;
  std::string text;
  std::size_t importance;  ///< sections are left out from the largest number on until the others fit; 0: never
};

/// Names of the sections that have content and are not in `shown` as a whole.
std::string names_of_others(const Summary& summary, const Paint& paint, const std::vector<BriefSection>& shown) {
  std::string names;
  for (const TextSection& section : text_sections()) {
    const std::string whole = section.text(summary, paint, kTopSites);
    const auto brief = std::ranges::find(shown, section.name, &BriefSection::name);
    if (whole.empty() || (brief != shown.end() && brief->text == whole)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", section.name);
  }
  return names;
}

std::string more_text(const Summary& summary, const Paint& paint, const std::vector<BriefSection>& shown) {
  const std::string names = names_of_others(summary, paint, shown);
  std::string result = paint.heading("MORE") + "\n";
  if (!names.empty())
    result += wrapped(fmt::format("`meridian stats --all`, or `--section NAME`: {}.", names), kIndent, prose_width());
  return result + wrapped("For scripts: --json, --csv. Each event: merged.h5.", kIndent, prose_width());
}

std::string text_of_all(const std::vector<BriefSection>& sections, const std::string& more) {
  std::string result;
  for (const BriefSection& section : sections)
    if (!section.text.empty()) result += section.text + "\n";
  return result + more;
}

}  // namespace

std::string brief_text(const Summary& summary, const Paint& paint) {
  std::vector<BriefSection> sections{
      {"verdict", verdict_section(summary, paint, VerdictLength::brief), 0},
      {"run", run_section(summary, paint), 3},
      {"ranks", ranks_section(summary, paint, kBriefRanks), 5},
      {"efficiency", efficiency_section(summary, paint), 2},
      {"functions", functions_section(summary, paint, kBriefRows), 1},
      {"waits", waits_section(summary, paint, kBriefRows), 4},
      {"findings", brief_findings(summary, paint), 0},
  };
  std::string result = text_of_all(sections, more_text(summary, paint, sections));
  while (lines_of(result) > kMostLinesInBrief) {
    const auto least = std::ranges::max_element(sections, {}, &BriefSection::importance);
    if (least->importance == 0) break;
    sections.erase(least);
    result = text_of_all(sections, more_text(summary, paint, sections));
  }
  return result;
}

}  // namespace meridian
