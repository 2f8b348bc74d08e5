// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `report` and `view` share.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "merged/merged_trace.hpp"
#include "report/page.hpp"

namespace meridian {

/// A merged trace that is open, with the rows of its page.
struct ReportSource {
  MergedTrace trace;
  Summary summary;
  TimelineRows rows;
};

/// errors  those of find_merged() and of reading it
Result<std::unique_ptr<ReportSource>> open_report_source(const std::filesystem::path& given, const PageBudget& budget);

/// Texts about the run for pages.
PageText page_text(const Summary& summary);

/// The page, with page_text() or a changed one.
Result<std::string> make_report(const ReportSource& source, const PageBudget& budget, const PageText& text);

/// The page on two groups of runs; `meridian compare` takes the same arguments. Its timelines are of the first run of each group.
///
/// is_private  PageText::is_private
/// errors      those of load_groups() and open_report_source()
Result<std::string> make_runs_report(const std::vector<std::string>& groups, const PageBudget& budget, bool is_private);

}  // namespace meridian
