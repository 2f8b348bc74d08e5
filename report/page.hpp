// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

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

/// Where a timeline lies that is shown beside that of another run: both begin and end at the same times after the same moment.
struct BesideAnother {
  double origin_s = 0;  ///< that moment, since the begin of the run
  double before_s = 0, after_s = 0;
};

/// What the caller knows of a page.
struct PageText {
  std::string title;                      ///< name of the program
  std::string headline;                   ///< what the run was, and how it ended: a sentence or two
  std::string summary_json;               ///< of at most kMostPageRows rows a table
  std::string version;                    ///< of Meridian
  bool is_profile = false;                ///< there are sums over calls, and no timeline
  bool is_served = false;                 ///< the page asks the server that it came from for details
  bool is_private = false;                ///< without names of hosts, paths and addresses
  std::optional<BesideAnother> beside{};  ///< the page is a part of that on two runs
};

/// The report as one HTML file that needs nothing else. Its data are text in elements of their own, which no browser runs.
/// errors  damaged; io
Result<std::string> report_page(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows,
                                const PageText& text, const PageProgress& progress, const PageBudget& budget = {});

/// Two runs on one page: what changed between them, and their timelines one below the other, which are zoomed together.
///
/// text   its summary_json is what `meridian compare --json` prints
/// pages  report_page() of each run, with PageText::beside; none: the runs have no timeline
std::string runs_page(const PageText& text, std::span<const std::string> pages);

/// The section on clocks and its tables alone, without a look at events.
/// errors  damaged; io
Result<std::string> clock_page(const MergedTrace& trace, const Summary& summary, const PageText& text);

}  // namespace meridian
