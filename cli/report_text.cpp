// SPDX-License-Identifier: Apache-2.0
#include "cli/report_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cli/compare/report.hpp"
#include "cli/compared_runs.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"
#include "summary/compare/figures.hpp"
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

Result<std::string> make_runs_report(const std::vector<std::string>& arguments, const PageBudget& budget,
                                     bool is_private) {
  MERIDIAN_TRY(std::vector<RunGroup> groups, load_groups(arguments));
  std::vector<std::unique_ptr<ReportSource>> sources;
  for (RunGroup& group : groups) {
    MERIDIAN_TRY(auto source, open_report_source(group.runs.front().source, budget));
    sources.push_back(std::move(source));
    if (!is_private) continue;
    group.label = file_name(group.label);
    for (RunProfile& run : group.runs) run.source = file_name(run.source);
  }
  const ComparisonReport report = compare_all(std::move(groups), false);
  const Comparison& comparison = report.comparisons.back();
  PageText all;
  all.title = std::string{file_name(sources.front()->summary.run.executable)};
  all.headline =
      describe_time(report.groups.front(), report.groups.back(), comparison) + " " + closing_sentence(report);
  all.summary_json = comparison_json(report);
  all.version = MERIDIAN_VERSION;
  std::vector<double> origins_s;
  BesideAnother scale;
  for (const auto& source : sources) {
    const EfficiencySummary* const measured = run_efficiency(source->summary);
    origins_s.push_back(measured == nullptr ? 0 : measured->begin_s);
    scale.before_s = std::max(scale.before_s, origins_s.back());
    scale.after_s = std::max(scale.after_s, source->summary.run.time_s - origins_s.back());
  }
  std::vector<std::string> pages;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (is_profile(sources[i]->summary)) continue;
    PageText text = page_text(sources[i]->summary);
    text.is_private = is_private;
    text.beside = scale;
    text.beside->origin_s = origins_s[i];
    MERIDIAN_TRY(std::string page, make_report(*sources[i], budget, text));
    pages.push_back(std::move(page));
  }
  return runs_page(all, pages);
}

}  // namespace meridian
