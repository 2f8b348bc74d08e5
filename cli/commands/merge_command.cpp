// SPDX-License-Identifier: Apache-2.0
// meridian merge: completes unfinished rank files, merges them, prints the summary.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "analysis/analyses.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/edit/begin_together.hpp"
#include "cli/leftovers.hpp"
#include "cli/merge_processes.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/progress.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/interruption.hpp"
#include "cli/support/launcher.hpp"
#include "cli/support/output_lock.hpp"
#include "cli/where/past_deadlock.hpp"
#include "merged/merged_trace.hpp"
#include "merger/merge.hpp"
#include "summary/recorded_part.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kClockModels{kClockModelNames.begin(), kClockModelNames.end()};

struct MergeArguments {
  std::vector<std::string> directories;
  std::string output;
  std::string clock_model = "meridian";
  ClockOptions clocks;
  bool force = false;
  bool quiet = false;
  bool removes_overhead = false;
  bool has_lost_hosts = false;
  bool keeps_early_calls = false;
  PrintOptions print;
};

/// The given directory, or `latest`.
Result<fs::path> find_directory(const std::string& given) {
  const fs::path path = given.empty() ? fs::path{kLatest} : fs::path{given};
  std::error_code problem;
  if (fs::is_directory(path, problem)) return path;
  if (fs::status(path, problem).type() == fs::file_type::none) return unreadable_trace(path, problem);
  if (fs::exists(path, problem))
    return Error{Errc::invalid_argument, fmt::format("'{}' is not a directory", path.string()),
                 "name the directory that holds the rank files"};
  return missing_trace(given);
}

/// One line for a trace with errors, which the exit code 2 stands for.
void report_errors(const Summary& summary, const fs::path& merged) {
  std::string errors;
  for (const Finding& finding : summary.findings)
    if (finding.severity == Severity::error)
      errors += fmt::format("{}{} ({})", errors.empty() ? "" : ", ", finding.name, finding.count);
  if (!errors.empty())
    report({Errc::damaged, fmt::format("'{}' was written, but the trace has errors: {}", merged.string(), errors),
            fmt::format("meridian check '{}'", merged.string())});
}

/// Times without the tracer's cost are a guess if they decide what the program received.
void warn_of_chance(const Summary& summary) {
  for (const Finding& finding : summary.findings)
    if (finding.name == "overhead.chance")
      report({Errc::invalid_argument,
              fmt::format("{} calls received from any source, tested, or waited for one of several requests: without "
                          "the tracer, the order of the messages might have been another one",
                          finding.count),
              "trust the times without its cost only if that order does not matter"});
}

Error being_merged(const fs::path& output) {
  return {Errc::io,
          fmt::format("'{}' is being merged by another process{}", output.string(),
                      find_launcher().rank ? "; one `meridian merge` without a launcher is enough" : ""),
          ""};
}

/// The last parts of the ranks begin at one moment.
Status trim(MergeOutcome& outcome, ProgressBar& bar) {
  MERIDIAN_TRY(const bool is_new,
               begin_together(outcome.path, [&](double fraction, std::string_view what) { bar.show(fraction, what); }));
  if (!is_new) return {};
  MERIDIAN_TRY(outcome.summary, MergedTrace::read_summary(outcome.path));
  return {};
}

int merge_trace(const MergeArguments& arguments, Processes* processes) {
  const auto model = std::find(kClockModels.begin(), kClockModels.end(), arguments.clock_model);
  if (model == kClockModels.end())
    return fail(unknown_choice("--clock-model " + arguments.clock_model, arguments.clock_model, kClockModels));
  if (const Status checked = check_print_options(arguments.print); !checked) return fail(checked.error());
  std::vector<fs::path> directories;
  for (const std::string& given : arguments.directories.empty() ? std::vector{std::string{}} : arguments.directories) {
    const auto directory = find_directory(given);
    if (!directory) return fail(directory.error());
    directories.push_back(*directory);
  }

  clean_up_when_interrupted(&wipe_progress);
  const bool is_watched = is_terminal(STDERR_FILENO) && !arguments.quiet;
  ProgressBar bar{is_watched};
  Leftovers leftovers{Leftovers::kPatience, arguments.has_lost_hosts ? OtherHosts::are_gone : OtherHosts::may_run,
                      [&](const fs::path& note) { bar.show(0, fmt::format("waiting for {}", note.stem().string())); }};
  MergeOptions options;
  options.output = arguments.output;
  options.clocks = arguments.clocks;
  options.clocks.model = static_cast<ClockModel>(model - kClockModels.begin());
  options.force = arguments.force;
  options.removes_overhead = arguments.removes_overhead;
  constexpr double kPasses = 0.4;  // of all the time; the rest is that of analyses
  options.progress = [&](double fraction, std::string_view pass) { bar.show(fraction * kPasses, pass); };
  options.processes = processes;
  options.recover = [&](const fs::path& note, const fs::path& where) { return leftovers.finish(note, where); };
  options.analyse = [&](std::int64_t file, WaitSink& waits, Summary& summary) -> Status {
    MERIDIAN_TRY(const MergedTrace trace, MergedTrace::borrow(file));
    if (directories.size() == 1) add_past_deadlock(directories.front(), summary);
    return run_analyses(
        trace, summary, &waits, [&](double part) { bar.show(kPasses + part * (1 - kPasses), "analyses"); }, processes,
        trace.path());
  };
  std::optional<OutputLock> lock;
  bool is_taken = false;
  options.claim = [&](const fs::path& output) -> Status {
    lock = OutputLock::take(output);
    is_taken = !lock;
    return is_taken ? Status{being_merged(output)} : Status{};
  };
  auto outcome = merge(directories, options);
  if (outcome && !arguments.keeps_early_calls && is_last_part(outcome->summary)) {
    if (const Status trimmed = trim(*outcome, bar); !trimmed) outcome = trimmed.error();
  }
  bar.clear();
  // A launcher ends all processes when one of them fails, so to it the one that does nothing has succeeded.
  if (is_taken && find_launcher().rank) {
    report(outcome.error());
    return kExitFine;
  }
  if (!outcome) return fail(outcome.error());
  warn_of_chance(outcome->summary);
  if (arguments.quiet) {
    report_errors(outcome->summary, outcome->path);
    return exit_code(outcome->summary);
  }
  const int code = print_summary(outcome->summary, arguments.print);
  if (!arguments.print.csv && !arguments.print.json &&
      !print(fmt::format("\nMerged into {}\n", outcome->path.string())))
    return kExitCouldNotRun;
  return code;
}

}  // namespace

Command merge_command() {
  const auto arguments = std::make_shared<MergeArguments>();
  ClockOptions& clocks = arguments->clocks;
  Command command{
      "merge", "Merge all ranks into one timeline, print the summary", {}, [arguments] {
        return merge_with_processes([&](Processes* processes) { return merge_trace(*arguments, processes); });
      }};
  command.options = {
      {"directory", "DIR",
       "Directory of the trace (default: latest), or those of several programs that connected through a port or socket",
       &arguments->directories},
      {"-o,--output", "FILE", "Merged file (default: merged.h5 in the first directory)", &arguments->output},
      {.names = "--clock-model",
       .value = "NAME",
       .help = "How clocks are corrected: none, offset, linear, regression, hull, meridian (default)",
       .target = &arguments->clock_model,
       .choices = kClockModels},
      {"--reference", "HOST|RANK|auto",
       "Host or rank whose clock is the global one (default: auto, the most central host's)", &clocks.reference},
      {"--confidence", "SHARE", "regression: share of the ping-pong exchanges to use, the quickest (default: 0.9)",
       &clocks.confidence, AllowedRange{0.01, 1}},
      {"--segment", "SECONDS",
       "meridian: seconds between knots (default: 1, more where messages are rare, less where clocks bend)",
       &clocks.segment_s, AllowedRange{0.5, 86400}},
      {"--rho", "PPM", "meridian: largest difference of a clock's rate from the fitted one, in ppm (default: 0.05)",
       &clocks.rho_ppm, AllowedRange{0, 1000}},
      {"--force", "", "Merge the largest of several runs; replace a file that is not a merged file", &arguments->force},
      {"--lost-hosts", "",
       "Hosts whose ranks are not finished are gone: make their rank files from what had reached the directory",
       &arguments->has_lost_hosts},
      {"--early-calls", "", "Flight recorders: keep the calls that ended before all ranks had some",
       &arguments->keeps_early_calls},
      {"--remove-overhead", "", "Subtract the tracer's direct cost from the times; receives still follow their sends",
       &arguments->removes_overhead},
      {"--quiet", "", "Print only errors", &arguments->quiet}};
  add_print_options(command, arguments->print);
  return command;
}

}  // namespace meridian
