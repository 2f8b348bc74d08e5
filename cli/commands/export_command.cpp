// SPDX-License-Identifier: Apache-2.0
// meridian export: a merged trace in another format.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

#include "choice/event_choice.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/selection_options.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/interruption.hpp"
#include "cli/support/selection.hpp"
#include "export/formats.hpp"
#include "export/program.hpp"
#include "export/sink.hpp"
#include "export/source.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string trace, format = "csv", output, only, rules;
  SelectionArguments selection;
  bool is_forced = false;
};

std::vector<std::string> files_of(const ExportFormat& format) {
  std::istringstream words{std::string{format.files}};
  return {std::istream_iterator<std::string>{words}, {}};
}

/// The folder that is to hold `path`, or the nearest one above it that exists.
fs::path existing_parent(const fs::path& path) {
  fs::path folder = fs::absolute(path).parent_path();
  std::error_code ignored;
  while (folder.has_relative_path() && !fs::is_directory(folder, ignored)) folder = folder.parent_path();
  return folder;
}

int export_trace(const ExportArguments& arguments) {
  const auto formats = export_formats();
  const auto format = std::ranges::find(formats, arguments.format, &ExportFormat::name);
  if (format == formats.end()) {
    std::vector<std::string> names;
    for (const ExportFormat& known : formats) names.emplace_back(known.name);
    return fail(unknown_choice("--format " + arguments.format, arguments.format, names));
  }
  const std::vector<std::string> files = files_of(*format);
  if (!arguments.only.empty() && std::ranges::find(files, arguments.only) == files.end())
    return fail(unknown_choice("--stdout " + arguments.only, arguments.only, files));
  if (format->needs_rules == arguments.rules.empty())
    return fail({Errc::invalid_argument,
                 arguments.rules.empty() ? fmt::format("--format {} needs a file of rules", format->name)
                                         : fmt::format("--format {} has no rules", format->name),
                 arguments.rules.empty() ? "name it with --rules" : "leave out --rules, or choose --format text"});
  const auto merged = find_merged_calls(arguments.trace, "export");
  if (!merged) return fail(merged.error());
  const auto trace = MergedTrace::open(*merged);
  if (!trace) return fail(trace.error());

  const fs::path directory =
      arguments.output.empty() ? merged->parent_path() / arguments.format : fs::path{arguments.output};
  // Temporary files lie beside the output; where standard output is one, in the folder for temporary files.
  const fs::path scratch = arguments.only.empty() ? existing_parent(directory) : fs::temp_directory_path();
  (void)std::signal(SIGPIPE, SIG_IGN);  // a reader that closes the pipe early is not an error
  const auto sink = arguments.only.empty() ? directory_sink(directory, arguments.is_forced)
                                           : stream_sink(STDOUT_FILENO, arguments.only);
  clean_up_when_interrupted(&wipe_progress);
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  ExportSource source{*trace, [&](double fraction, std::string_view what) { bar.show(fraction, what); }};
  source.rules = arguments.rules;
  TraceSelection selection;
  std::optional<EventChoice> choice;
  const Status status = [&]() -> Status {
    if (arguments.selection.selects()) {
      MERIDIAN_TRY(selection, parse_selection(arguments.selection, trace->definitions()));
      MERIDIAN_TRY(choice, EventChoice::make(*trace, selection, scratch, source.progress));
      source.choice = &*choice;
      source.selection = &selection;
      source.count_unselected();
    }
    MERIDIAN_TRY_DO(format->write(source, *sink));
    if (!format->shows_program) MERIDIAN_TRY_DO(leave_out_program(source));
    return sink->finish();
  }();
  bar.clear();
  if (!status) return fail(status.error());
  std::string left_out;
  for (const auto& [what, count] : source.left_out.counts()) left_out += fmt::format("Left out: {} {}\n", count, what);
  if (!arguments.only.empty()) {  // standard output is the file
    fmt::print(stderr, "{}", left_out);
    return kExitFine;
  }
  return print(fmt::format("Exported to {}\n{}", directory.string(), left_out)) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command export_command() {
  const auto arguments = std::make_shared<ExportArguments>();
  std::string footer = "Formats:\n";
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
  for (const ExportFormat& format : export_formats())
    footer += fmt::format("  {}  {}\n       files: {}\n", format.name, format.text, format.files);
  Command command{
      "export",
      "Write a merged trace in another format",
      {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->trace},
       {.names = "--format",
        .value = "NAME",
        .help = "Format (default: csv)",
        .target = &arguments->format,
        .choices = names},
       {"-o,--output", "DIR", "Directory for its files (default: one named after the format, beside the merged file)",
        &arguments->output},
       {"--rules", "FILE", "Rules that make the lines of --format text", &arguments->rules},
       {.names = "--stdout",
        .value = "FILE",
        .help = "Print only this file of the format, and write none",
        .target = &arguments->only,
        .excludes = "--output"}},
      [arguments] { return export_trace(*arguments); },
      footer};
  add_selection_options(command, arguments->selection);
  command.options.push_back({"--force", "", "Replace existing files", &arguments->is_forced});
  return command;
}

}  // namespace meridian
