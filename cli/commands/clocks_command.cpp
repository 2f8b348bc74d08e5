// SPDX-License-Identifier: Apache-2.0
// meridian clocks: the clock corrections of a merged trace, as a page or as data.

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/clocks/clock_view.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/own_page.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr OwnPage kClockPage{"<!DOCTYPE html>\n<!-- made by meridian clocks -->", "clock page"};

struct ClocksArguments {
  std::string trace, output;
  bool is_json = false;
};

int show_clocks(const ClocksArguments& arguments) {
  const auto merged = find_merged(arguments.trace);
  if (!merged) return fail(merged.error());
  const auto view = read_clock_view(*merged);
  if (!view) return fail(view.error());
  if (arguments.is_json) return print(clock_json(*view)) ? kExitFine : kExitCouldNotRun;
  const fs::path output = arguments.output.empty() ? merged->parent_path() / "clocks.html" : fs::path{arguments.output};
  if (const Status status = write_page(output, clock_page(*view), kClockPage); !status) return fail(status.error());
  const std::string text = clocks_section(view->summary, Paint{wants_colour(STDOUT_FILENO)});
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
