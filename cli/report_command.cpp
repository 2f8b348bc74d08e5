// SPDX-License-Identifier: Apache-2.0
// meridian report: a merged trace as one page for a browser.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/text.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/interruption.hpp"
#include "cli/support/own_page.hpp"
#include "merged/merged_trace.hpp"
#include "report/page.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr OwnPage kReportPage{kPageMark, "report"};

struct ReportArguments {
  std::string trace, output;
};

int write_report(const ReportArguments& arguments) {
  const auto merged = find_merged(arguments.trace);
  if (!merged) return fail(merged.error());
  const auto trace = MergedTrace::open(*merged);
  if (!trace) return fail(trace.error());
  const auto summary = trace->summary();
  if (!summary) return fail(summary.error());

  clean_up_when_interrupted(&wipe_progress);
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  PageText text;
  text.title = summary->run.executable.empty() ? "report" : std::string{file_name(summary->run.executable)};
  text.headline = headline(*summary);
  text.summary_json = summary_json(*summary, kMostPageRows);
  text.version = MERIDIAN_VERSION;
  const auto page = report_page(*trace, *summary, text, [&](double fraction) { bar.show(fraction, "report"); });
  bar.clear();
  if (!page) return fail(page.error());
  const fs::path output = arguments.output.empty() ? merged->parent_path() / "report.html" : fs::path{arguments.output};
  if (const Status status = write_page(output, *page, kReportPage); !status) return fail(status.error());
  return print(fmt::format("Report in {}\n", output.string())) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command report_command() {
  const auto arguments = std::make_shared<ReportArguments>();
  return {"report",
          "Write a page for a browser: verdict, timeline, tables; it needs nothing else",
          {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->trace},
           {"-o,--output", "FILE", "The page (default: report.html beside the merged file)", &arguments->output}},
          [arguments] { return write_report(*arguments); }};
}

}  // namespace meridian
