// SPDX-License-Identifier: Apache-2.0
// meridian report: a merged trace as one page for a browser.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/report_text.hpp"
#include "cli/support/interruption.hpp"
#include "cli/support/own_page.hpp"
#include "report/page.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr OwnPage kReportPage{kPageMark, "report"};

struct ReportArguments {
  std::vector<std::string> traces;
  std::string output;
  bool is_private = false;
};

/// Writes the page where the user wants it; without a wish, there.
int put(const std::string& page, const std::string& wanted, const fs::path& otherwise) {
  if (wanted == "-") return print(page) ? kExitFine : kExitCouldNotRun;
  const fs::path output = wanted.empty() ? otherwise : fs::path{wanted};
  if (const Status status = write_page(output, page, kReportPage); !status) return fail(status.error());
  return print(fmt::format("Report in {}\n", output.string())) ? kExitFine : kExitCouldNotRun;
}

int write_report(const ReportArguments& arguments) {
  clean_up_when_interrupted(&wipe_progress);
  const PageBudget budget;
  if (arguments.traces.size() > 2)
    return fail({Errc::invalid_argument, "a page shows at most two runs",
                 "meridian report BEFORE AFTER; repeats of one run are separated by commas: A1,A2,A3 B1,B2,B3"});
  if (arguments.traces.size() == 2) {
    const auto page = make_runs_report(arguments.traces, budget, arguments.is_private);
    return page ? put(*page, arguments.output, "compare.html") : fail(page.error());
  }
  const auto source = open_report_source(arguments.traces.empty() ? std::string{} : arguments.traces.front(), budget);
  if (!source) return fail(source.error());
  PageText text = page_text((*source)->summary);
  text.is_private = arguments.is_private;
  const auto page = make_report(**source, budget, text);
  if (!page) return fail(page.error());
  return put(*page, arguments.output, (*source)->trace.path().parent_path() / "report.html");
}

}  // namespace

Command report_command() {
  const auto arguments = std::make_shared<ReportArguments>();
  return {
      "report",
      "Write a page for a browser: verdict, timeline, tables; it needs nothing else",
      {{"trace", "PATH",
        "merged.h5 or its directory (default: latest); two runs, before and after, are compared on one page",
        &arguments->traces},
       {"-o,--output", "FILE",
        "The page (default: report.html beside the merged file, of two runs compare.html); -: standard output",
        &arguments->output},
       {"--private", "", "Leave out names of hosts, paths, addresses and the environment, so that others may have it",
        &arguments->is_private}},
      [arguments] { return write_report(*arguments); }};
}

}  // namespace meridian
