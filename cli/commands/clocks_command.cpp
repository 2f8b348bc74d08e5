// SPDX-License-Identifier: Apache-2.0
// meridian clocks: the section of the report on clocks as a page, or the data behind it.

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/clock_json.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/report_text.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/own_page.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr OwnPage kClockPage{kClockPageMark, "clock page"};

struct ClocksArguments {
  std::string trace, output;
  bool is_json = false;
};

int show_clocks(const ClocksArguments& arguments) {
  const auto merged = find_merged(arguments.trace);
  if (!merged) return fail(merged.error());
  const auto trace = MergedTrace::open(*merged);
  if (!trace) return fail(trace.error());
  const auto summary = trace->summary();
  if (!summary) return fail(summary.error());
  if (arguments.is_json) {
    const auto json = clock_json(*trace, *summary);
    if (!json) return fail(json.error());
    return print(*json) ? kExitFine : kExitCouldNotRun;
  }
  const auto page = clock_page(*trace, *summary, page_text(*summary));
  if (!page) return fail(page.error());
  const fs::path output = arguments.output.empty() ? merged->parent_path() / "clocks.html" : fs::path{arguments.output};
  if (const Status status = write_page(output, *page, kClockPage); !status) return fail(status.error());
  const std::string text = clocks_section(*summary, Paint{wants_colour(STDOUT_FILENO)});
  return print(fmt::format("{}\nClock report in {}\n", text, output.string())) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command clocks_command() {
  const auto arguments = std::make_shared<ClocksArguments>();
  return {"clocks",
          "Show the clock corrections and the bounds of times: a page with plots",
          {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->trace},
           {"-o,--output", "FILE", "The page (default: clocks.html beside the merged file)", &arguments->output},
           {.names = "--json",
            .help = "Print one JSON object and nothing else",
            .target = &arguments->is_json,
            .excludes = "--output"}},
          [arguments] { return show_clocks(*arguments); }};
}

}  // namespace meridian
