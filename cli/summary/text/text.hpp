// SPDX-License-Identifier: Apache-2.0
#pragma once

// The summary for a terminal: sections of at most 80 columns.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/summary/table.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// ANSI colours, or none.
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

inline constexpr std::size_t kRanksInFull = 16;
/// Default number of rows in the table of call sites.
inline constexpr std::size_t kTopSites = 10;

/// Rows of the tables in brief_text().
inline constexpr std::size_t kBriefRows = 5;

/// A part of the text that can be asked for by its name.
struct TextSection {
  std::string_view name;
  /// sites  the largest number of call sites to show.  returns  heading and lines; empty: there is nothing to say
  std::string (*text)(const Summary& summary, const Paint& paint, std::size_t sites);
};

/// The sections, in the order in which they are printed.
std::span<const TextSection> text_sections();

/// All sections. Ends with a line end.
///
/// sites  the largest number of call sites to show.
std::string summary_text(const Summary& summary, const Paint& paint, std::size_t sites = kTopSites);

/// The most important sections, shortened, and the names of the others: at most 58 lines of 80 columns. A line longer
/// than that is one of a narrow terminal.
std::string brief_text(const Summary& summary, const Paint& paint);

/// The findings only, worst first: severity, name, count, text, remedy.
std::string findings_text(const Summary& summary, const Paint& paint);

/// "1 of 2": rank 1 of world 2, for the trace's rank `rank`.
std::string place_in_world(const Summary& summary, std::int32_t rank);

// The sections. One without content is empty. `most`: rows of each table.
std::string run_section(const Summary& summary, const Paint& paint);
std::string worlds_section(const Summary& summary, const Paint& paint);
/// More than `most` ranks are represented by three.
std::string ranks_section(const Summary& summary, const Paint& paint, std::size_t most = kRanksInFull);
std::string functions_section(const Summary& summary, const Paint& paint, std::size_t most = kTopRows);
std::string sites_section(const Summary& summary, const Paint& paint, std::size_t most);
/// Shows half of `most`, because each path takes several lines.
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
/// The tables without a section of their own, under SummaryTable::heading.
std::string tables_section(const Summary& summary, const Paint& paint);
/// A line with the energy of all hosts between MPI_Init and MPI_Finalize; empty: the energy is not known.
std::string energy_text(const Summary& summary);
std::string energy_section(const Summary& summary, const Paint& paint);
std::string efficiency_section(const Summary& summary, const Paint& paint);
std::string program_section(const Summary& summary, const Paint& paint, std::size_t most = kTopRows);
std::string waits_section(const Summary& summary, const Paint& paint, std::size_t most = kTopRows);
std::string wait_pairs_section(const Summary& summary, const Paint& paint);
std::string delays_section(const Summary& summary, const Paint& paint);
/// Phases that repeat themselves, with their slow iterations and drifts.
std::string iterations_section(const Summary& summary, const Paint& paint);
std::string overhead_section(const Summary& summary, const Paint& paint);
/// Every table and every column, with units and meanings: the same for each summary.
std::string columns_text();
/// The same of one table with these columns.
std::string table_columns_text(std::string_view name, std::string_view text, std::span<const AnyColumn> columns);
/// How much of the verdict is shown. brief: three problems, and as much advice as fits in 25 lines of 80 columns.
enum class VerdictLength : bool { brief, whole };
/// What the run was, and how it ended: a sentence or two.
std::string headline(const Summary& summary);
/// How the run ended, the most expensive problems, and what else to look at.
std::string verdict_section(const Summary& summary, const Paint& paint, VerdictLength length = VerdictLength::whole);

}  // namespace meridian
