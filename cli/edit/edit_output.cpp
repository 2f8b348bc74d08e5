// SPDX-License-Identifier: Apache-2.0
#include "cli/edit/edit_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <system_error>
#include <utility>

#include "analysis/analyses.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/interruption.hpp"
#include "cli/support/output_lock.hpp"
#include "edit/write_edit.hpp"
#include "merged/merged_trace.hpp"
#include "trace/format/rank/rank_container.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// The directory of the output. One that was made for it is removed again unless there is a file in it.
class OutputDirectory {
 public:
  explicit OutputDirectory(fs::path path) : path_{std::move(path)} {}
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;
  ~OutputDirectory() {
    std::error_code ignored;
    if (is_new_) fs::remove(path_, ignored);  // not if it holds anything
  }
  Status make() {
    std::error_code problem;
    is_new_ = fs::create_directories(path_, problem);
    if (problem || !fs::is_directory(path_, problem))
      return Error{Errc::io,
                   fmt::format("cannot make the directory '{}': {}", path_.string(),
                               problem ? problem.message() : "there is a file of that name"),
                   "choose another one with -o"};
    return {};
  }

 private:
  fs::path path_;
  bool is_new_ = false;
};

/// Whether the file may be written. Also refuses a directory with rank files, of which it would seem to be the merge.
Status check_edit_output(const fs::path& merged, const fs::path& directory, bool is_forced) {
  std::error_code problem;
  const fs::path output = directory / kMergedName;
  if (fs::equivalent(merged, output, problem))
    return Error{Errc::invalid_argument, fmt::format("'{}' is the trace itself", output.string()),
                 "choose another directory with -o"};
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, problem))
    if (is_of_ranks(entry.path()))
      return Error{Errc::invalid_argument,
                   fmt::format("'{}' holds the rank files of a trace, of which '{}' would not be the merged file",
                               directory.string(), output.string()),
                   "choose another directory with -o"};
  if (fs::exists(fs::symlink_status(output, problem)) && !is_forced)
    return Error{Errc::invalid_argument, fmt::format("'{}' exists", output.string()),
                 "choose another directory with -o, or replace it with --force"};
  return {};
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string describe_counts(const EditCounts& counts) {
  std::string text;
  if (counts.events != 0 || counts.messages != 0 || counts.collectives != 0)
    text += fmt::format("Left out: {}, {}, {}\n", counted(counts.events, "event"), counted(counts.messages, "message"),
                        counted(counts.collectives, "collective"));
  if (counts.fused != 0) text += fmt::format("Fused: {} into events before them\n", counted(counts.fused, "call"));
  if (counts.moved != 0) text += fmt::format("Moved: {}\n", counted(counts.moved, "event"));
  if (text.empty()) text = "Nothing was left out or moved\n";
  return text;
}

}  // namespace

void add_edit_options(Command& command, EditArguments& arguments) {
  command.options.push_back({"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments.trace});
  command.options.push_back({.names = "-o,--output",
                             .value = "DIR",
                             .help = "Directory for the new merged.h5; made if it is missing",
                             .target = &arguments.output,
                             .is_required = true});
}

void add_edit_force(Command& command, EditArguments& arguments) {
  command.options.push_back({"--force", "", "Replace an existing merged.h5 there", &arguments.is_forced});
}

int run_edit(const EditArguments& arguments, const std::string& description, const MakeEdit& make) {
  const auto merged = find_merged_calls(arguments.trace, "take a part of");
  if (!merged) return fail(merged.error());
  const fs::path directory = arguments.output;
  if (const Status checked = check_edit_output(*merged, directory, arguments.is_forced); !checked)
    return fail(checked.error());
  const auto trace = StoredTrace::open(*merged);
  if (!trace) return fail(trace.error());

  clean_up_when_interrupted(&wipe_progress);
  OutputDirectory made{directory};
  if (const Status is_made = made.make(); !is_made) return fail(is_made.error());
  const fs::path output = directory / kMergedName;
  const std::optional<OutputLock> lock = OutputLock::take(output);
  if (!lock)
    return fail({Errc::io, fmt::format("'{}' is being written by another process", output.string()),
                 "wait for it, or choose another directory with -o"});
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  const auto write = [&]() -> Result<EditCounts> {
    MERIDIAN_TRY(std::shared_ptr<TempFile> scratch, TempFile::create(directory));
    constexpr double kChoosing = 0.2, kWriting = 0.5;  // of all the time, what has passed after these
    const EditSource source{*merged, std::move(scratch),
                            [&](double fraction, std::string_view what) { bar.show(fraction * kChoosing, what); }};
    MERIDIAN_TRY(const std::unique_ptr<EventEdit> edit, make(source));
    EditOptions options;
    options.description = description;
    options.progress = [&](double fraction, std::string_view what) {
      bar.show(kChoosing + fraction * (kWriting - kChoosing), what);
    };
    options.analyse = [&](std::int64_t file, WaitSink& waits, Summary& summary) -> Status {
      MERIDIAN_TRY(const MergedTrace written, MergedTrace::borrow(file));
      return run_analyses(written, summary, &waits,
                          [&](double part) { bar.show(kWriting + part * (1 - kWriting), "analyses"); });
    };
    return write_edit(*trace, output, *edit, options);
  };
  const auto counts = write();
  bar.clear();
  if (!counts) return fail(counts.error());
  if (!print(fmt::format("Wrote {}\n{}", output.string(), describe_counts(*counts)))) return kExitCouldNotRun;
  if (counts->reversed == 0) return kExitFine;
  report({Errc::damaged,
          fmt::format("'{}' was written, but {} received before being sent", output.string(),
                      counts->reversed == 1 ? "1 message is" : fmt::format("{} messages are", counts->reversed)),
          fmt::format("meridian check '{}'", output.string())});
  return kExitTraceHasErrors;
}

}  // namespace meridian
