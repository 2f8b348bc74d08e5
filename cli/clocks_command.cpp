// SPDX-License-Identifier: Apache-2.0
// meridian clocks: the clock corrections of a merged trace, as a page or as data.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/clocks/clock_view.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary/text.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "<!DOCTYPE html>\n<!-- made by meridian clocks -->";

struct ClocksArguments {
  std::string trace, output;
  bool is_json = false;
};

/// Permits replacing an existing page only if Meridian wrote it.
Status may_replace_page(const fs::path& output) {
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(output, problem);
  if (!fs::exists(status)) return {};
  std::string begin(kMark.size(), '\0');
  if (fs::is_regular_file(status) &&
      std::ifstream{output}.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMark)
    return {};
  return Error{Errc::invalid_argument, fmt::format("'{}' exists and is not a clock page", output.string()),
               "choose another file with --output, or remove it"};
}

/// Writes to a temporary file and renames it, so that readers see either the old page or the new one.
Status write_page(const fs::path& output, const std::string& page) {
  MERIDIAN_TRY_DO(may_replace_page(output));
  fs::path part = output;
  part += ".part";
  const auto failure = [&](const char* action) {
    return Error{Errc::io, fmt::format("cannot {} '{}': {}", action, part.string(), std::strerror(errno)),
                 "choose a file that can be written with --output"};
  };
  ::unlink(part.c_str());
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failure("create");
  std::size_t done = 0;
  while (done < page.size()) {
    const ssize_t written = ::write(file, page.data() + done, page.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  Status status;
  if (done < page.size()) status = failure("write");
  if (::close(file) != 0 && status) status = failure("write");
  if (status && ::rename(part.c_str(), output.c_str()) != 0) status = failure("rename");
  if (!status) ::unlink(part.c_str());
  return status;
}

int show_clocks(const ClocksArguments& arguments) {
  const auto merged = find_merged(arguments.trace);
  if (!merged) return fail(merged.error());
  const auto view = read_clock_view(*merged);
  if (!view) return fail(view.error());
  if (arguments.is_json) return print(clock_json(*view)) ? kExitFine : kExitCouldNotRun;
  const fs::path output = arguments.output.empty() ? merged->parent_path() / "clocks.html" : fs::path{arguments.output};
  if (const Status status = write_page(output, clock_page(*view)); !status) return fail(status.error());
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
