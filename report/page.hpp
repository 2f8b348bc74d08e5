// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "merged/merged_trace.hpp"
#include "report/data/page_timeline.hpp"
#include "report/data/timeline_rows.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The first bytes of each page: how Meridian knows its own.
inline constexpr std::string_view kPageMark = "<!DOCTYPE html>\n<!-- made by meridian report -->";
inline constexpr std::string_view kClockPageMark = "<!DOCTYPE html>\n<!-- made by meridian clocks -->";

/// Rows of each table that a page has.
inline constexpr std::size_t kMostPageRows = 2000;

/// What the caller knows of a page.
struct PageText {
  std::string title;         ///< name of the program
  std::string headline;      ///< what the run was, and how it ended: a sentence or two
  std::string summary_json;  ///< of at most kMostPageRows rows a table
  std::string version;       ///< of Meridian
  bool is_profile = false;   ///< there are sums over calls, and no timeline
  bool is_served = false;    ///< the page asks the server that it came from for details
  bool is_private = false;   ///< without names of hosts, paths and addresses
};

/// The report as one HTML file that needs nothing else. Its data are text in elements of their own, which no browser runs.
/// errors  damaged; io
Result<std::string> report_page(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows,
                                const PageText& text, const PageProgress& progress, const PageBudget& budget = {});

/// The section on clocks and its tables alone, without a look at events.
/// errors  damaged; io
Result<std::string> clock_page(const MergedTrace& trace, const Summary& summary, const PageText& text);

}  // namespace meridian
