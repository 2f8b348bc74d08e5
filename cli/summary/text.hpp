// SPDX-License-Identifier: Apache-2.0
#pragma once

// The summary for a terminal: sections of at most 80 columns.

#include <cstddef>
#include <string>
#include <string_view>

#include "summary/summary.hpp"

namespace meridian {

/// ANSI colours, or none of them.
class Paint {
 public:
  explicit Paint(bool is_on) : is_on_{is_on} {}
  std::string heading(std::string_view text) const { return with("1", text); }
  std::string title(std::string_view text) const { return with("2", text); }
  std::string severity(Severity severity, std::string_view text) const {
    return with(severity == Severity::error ? "1;31" : severity == Severity::data_loss ? "33" : "36", text);
  }

 private:
  std::string with(const char* code, std::string_view text) const {
    if (!is_on_) return std::string{text};
    return "\033[" + std::string{code} + "m" + std::string{text} + "\033[0m";
  }
  bool is_on_;
};

/// Rows of the table of call sites, unless the user asks for another number.
inline constexpr std::size_t kTopSites = 10;

/// All sections. Ends with a line end.
///
/// sites  at most so many call sites are shown.
std::string summary_text(const Summary& summary, const Paint& paint, std::size_t sites = kTopSites);

/// Findings alone, the worst first: severity, name, count, what it is, the remedy.
std::string findings_text(const Summary& summary, const Paint& paint);

/// "1 of 2": rank 1 of world 2. `rank` is that of the trace.
std::string place_in_world(const Summary& summary, std::int32_t rank);

// The sections, in the order in which they are printed. Each is empty when it has nothing to say.
std::string run_section(const Summary& summary, const Paint& paint);
std::string worlds_section(const Summary& summary, const Paint& paint);
std::string ranks_section(const Summary& summary, const Paint& paint);
std::string functions_section(const Summary& summary, const Paint& paint);
std::string sites_section(const Summary& summary, const Paint& paint, std::size_t most);
/// Half as many as `most`, because each takes several lines.
std::string paths_section(const Summary& summary, const Paint& paint, std::size_t most);
std::string locks_section(const Summary& summary, const Paint& paint);
std::string threads_section(const Summary& summary, const Paint& paint);
std::string messages_section(const Summary& summary, const Paint& paint);
std::string pairs_section(const Summary& summary, const Paint& paint);
std::string communicators_section(const Summary& summary, const Paint& paint);
std::string windows_section(const Summary& summary, const Paint& paint);
std::string files_section(const Summary& summary, const Paint& paint);
std::string clocks_section(const Summary& summary, const Paint& paint);
std::string context_section(const Summary& summary, const Paint& paint);
std::string counters_section(const Summary& summary, const Paint& paint);
std::string regions_section(const Summary& summary, const Paint& paint);
std::string region_counters_section(const Summary& summary, const Paint& paint);
std::string passed_section(const Summary& summary, const Paint& paint);
std::string user_events_section(const Summary& summary, const Paint& paint);
/// The tables that have no section of their own making: what SummaryTable::heading names.
std::string tables_section(const Summary& summary, const Paint& paint);
std::string overhead_section(const Summary& summary, const Paint& paint);
std::string advice_section(const Summary& summary, const Paint& paint);

}  // namespace meridian
