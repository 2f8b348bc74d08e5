// SPDX-License-Identifier: Apache-2.0
#include "cli/report_text.hpp"

#include <unistd.h>

#include <utility>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"
#include "summary/recorded_part.hpp"

namespace meridian {

Result<std::unique_ptr<ReportSource>> open_report_source(const std::filesystem::path& given, const PageBudget& budget) {
  MERIDIAN_TRY(const std::filesystem::path merged, find_merged(given));
  MERIDIAN_TRY(MergedTrace trace, MergedTrace::open(merged));
  MERIDIAN_TRY(Summary summary, trace.summary());
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  MERIDIAN_TRY(TimelineRows rows,
               find_timeline_rows(trace, summary, budget, [&](double fraction) { bar.show(fraction, "group ranks"); }));
  return std::make_unique<ReportSource>(ReportSource{std::move(trace), std::move(summary), std::move(rows)});
}

PageText page_text(const Summary& summary) {
  const std::string& executable = summary.run.executable;
  PageText text;
  text.is_profile = is_profile(summary);
  text.title = executable.empty() ? "report" : std::string{file_name(executable)};
  text.headline = headline(summary);
  text.summary_json = summary_json(summary, kMostPageRows);
  text.version = MERIDIAN_VERSION;
  return text;
}

Result<std::string> make_report(const ReportSource& source, const PageBudget& budget, const PageText& text) {
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  return report_page(
      source.trace, source.summary, source.rows, text, [&](double fraction) { bar.show(fraction, "report"); }, budget);
}

}  // namespace meridian
