// SPDX-License-Identifier: Apache-2.0
// meridian events: the events of a merged trace, and what connects them.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/events/follow.hpp"
#include "cli/events/listing.hpp"
#include "cli/output.hpp"
#include "cli/print_summary.hpp"
#include "cli/progress.hpp"
#include "cli/query/result_writer.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/interruption.hpp"
#include "cli/support/selection.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {
namespace {

struct EventsArguments {
  std::string trace;
  SelectionArguments selection;
  std::string least;
  std::optional<std::string> thread, peer, followed;
  std::uint64_t limit = 0;
  bool has_waits = false;
  bool is_csv = false;
  bool is_json = false;

  ResultForm form() const { return is_json ? ResultForm::json : is_csv ? ResultForm::csv : ResultForm::text; }
};

template <class Number>
Result<Number> parse_number(const std::string& option, const std::string& text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number < 0)
    return Error{Errc::invalid_argument, option + " " + text + ": not a number", "numbers begin with 0"};
  return number;
}

Result<EventFilter> filter_of(const EventsArguments& arguments, const MergedDefinitions& names) {
  MERIDIAN_TRY(const TraceSelection selection, parse_selection(arguments.selection, names));
  EventFilter filter;
  filter.window.from_ns = selection.from_ns;
  filter.window.to_ns = selection.to_ns;
  if (!selection.ranks.empty()) {
    filter.window.ranks.emplace();
    for (const MergedRank& rank : names.ranks)
      if (selection.has_rank(rank.rank)) filter.window.ranks->push_back(rank.rank);
  }
  if (!selection.functions.empty())
    for (const MergedCall& call : names.calls) filter.functions.push_back(matches_name(selection.functions, call.name));
  if (arguments.thread) {
    MERIDIAN_TRY(filter.thread, parse_number<std::uint32_t>("--thread", *arguments.thread));
  }
  if (arguments.peer) {
    MERIDIAN_TRY(filter.peer, parse_number<std::int32_t>("--peer", *arguments.peer));
  }
  if (!arguments.least.empty()) {
    MERIDIAN_TRY(filter.least_ns, parse_moment(arguments.least));
  }
  if (arguments.limit != 0) filter.most_rows = arguments.limit;
  return filter;
}

Status print_events(const EventsArguments& arguments, const QueryTrace& source, OutputBuffer& output) {
  if (arguments.followed) return follow_call(source, *arguments.followed, arguments.form(), output);
  MERIDIAN_TRY(const EventFilter filter, filter_of(arguments, source.trace().definitions()));
  return arguments.has_waits ? list_waits(source, filter, arguments.form(), output)
                             : list_events(source, filter, arguments.form(), output);
}

int events(const EventsArguments& arguments) {
  const auto merged = find_merged(arguments.trace);
  if (!merged) return fail(merged.error());
  const auto trace = MergedTrace::open(*merged);
  if (!trace) return fail(trace.error());
  (void)std::signal(SIGPIPE, SIG_IGN);  // a reader that closes the pipe early is not an error
  clean_up_when_interrupted(&wipe_progress);
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  const QueryTrace source{*trace, [&](double fraction, std::string_view table) { bar.show(fraction, table); }};
  OutputBuffer output{[&](std::string_view text) {
                        bar.clear();
                        return print_some(text);
                      },
                      wants_colour(STDOUT_FILENO)};
  const Status status = print_events(arguments, source, output);
  bar.clear();
  return status ? kExitFine : fail(status.error());
}

}  // namespace

Command events_command() {
  const auto arguments = std::make_shared<EventsArguments>();
  SelectionArguments& selection = arguments->selection;
  Command command{
      "events",
      "Print calls and user events in the order of time",
      {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->trace},
       {"--ranks", "LIST", "Only of these ranks, such as 0-3,7", &selection.ranks},
       {"--thread", "N", "Only of this thread of each rank, from 0", &arguments->thread},
       {"--from", "TIME", "Only in progress from this time on: since the start of the trace, such as 1.5s or 200ms",
        &selection.from},
       {"--to", "TIME", "Only begun before this time", &selection.to},
       {"--functions", "GLOBS", "Only functions, regions and events of these names, such as MPI_I*,MPI_Wait*",
        &selection.functions},
       {"--peer", "RANK", "Only with this partner or root; with --waits, only waits for this rank", &arguments->peer},
       {"--at-least", "TIME", "Only calls that took this long; with --waits, waits that did", &arguments->least},
       {"--waits", "", "Print the waits of the calls: kind, time, and the call that was waited for",
        &arguments->has_waits},
       {.names = "--limit",
        .value = "N",
        .help = "Print the first N only",
        .target = &arguments->limit,
        .limit = Positive{}},
       {"--follow", "WHAT",
        "Print what is connected with RANK:CALL (its messages, collectives and the calls that it waited for), with "
        "message:NUMBER (both ends) or with collective:NUMBER (the calls of all ranks)",
        &arguments->followed}},
      [arguments] { return events(*arguments); }};
  add_form_options(command, arguments->is_csv, arguments->is_json);
  command.footer = "The first column is the name of a call for --follow and for `meridian order`.\n";
  return command;
}

}  // namespace meridian
