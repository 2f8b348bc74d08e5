// SPDX-License-Identifier: Apache-2.0
// meridian report: a merged trace as one page for a browser.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

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
  std::string trace, output;
  bool is_private = false;
};

int write_report(const ReportArguments& arguments) {
  clean_up_when_interrupted(&wipe_progress);
  const PageBudget budget;
  const auto source = open_report_source(arguments.trace, budget);
  if (!source) return fail(source.error());
  PageText text = page_text((*source)->summary);
  text.is_private = arguments.is_private;
  const auto page = make_report(**source, budget, text);
  if (!page) return fail(page.error());
  if (arguments.output == "-") return print(*page) ? kExitFine : kExitCouldNotRun;
  const fs::path output =
      arguments.output.empty() ? (*source)->trace.path().parent_path() / "report.html" : fs::path{arguments.output};
  if (const Status status = write_page(output, *page, kReportPage); !status) return fail(status.error());
  return print(fmt::format("Report in {}\n", output.string())) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command report_command() {
  const auto arguments = std::make_shared<ReportArguments>();
  return {
      "report",
      "Write a page for a browser: verdict, timeline, tables; it needs nothing else",
      {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->trace},
       {"-o,--output", "FILE", "The page (default: report.html beside the merged file); -: standard output",
        &arguments->output},
       {"--private", "", "Leave out names of hosts, paths, addresses and the environment, so that others may have it",
        &arguments->is_private}},
      [arguments] { return write_report(*arguments); }};
}

}  // namespace meridian
