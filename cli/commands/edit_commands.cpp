// SPDX-License-Identifier: Apache-2.0
// meridian cut, filter, sort, aggregate: smaller or ordered traces from a merged one.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "choice/event_choice.hpp"
#include "cli/commands.hpp"
#include "cli/edit/edit_output.hpp"
#include "cli/output.hpp"
#include "cli/selection_options.hpp"
#include "cli/support/selection.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {
namespace {

constexpr std::string_view kUsualLimit = "10us";

struct SelectArguments {
  EditArguments edit;
  SelectionArguments selection;
};
struct AggregateArguments {
  EditArguments edit;
  std::string shorter_than{kUsualLimit};
};

/// " --ranks 0-3 --from 1s": the options that are given.
std::string describe_selection(const SelectionArguments& selection) {
  std::string text;
  for (const auto& [name, value] : {std::pair<const char*, const std::string&>{" --ranks ", selection.ranks},
                                    {" --from ", selection.from},
                                    {" --to ", selection.to},
                                    {" --functions ", selection.functions},
                                    {" --regions ", selection.regions}})
    if (!value.empty()) text += name + value;
  return text;
}

int select(const SelectArguments& arguments, const std::string& name, const std::string& missing) {
  if (!arguments.selection.selects())
    return fail({Errc::invalid_argument, "nothing is selected: `meridian " + name + "` would copy the trace", missing});
  const auto make = [&](const EditSource& source) -> Result<std::unique_ptr<EventEdit>> {
    MERIDIAN_TRY(const MergedTrace trace, MergedTrace::open(source.merged));
    MERIDIAN_TRY(const TraceSelection selection, parse_selection(arguments.selection, trace.definitions()));
    MERIDIAN_TRY(EventChoice choice, EventChoice::make(trace, selection, source.scratch->directory(), source.progress));
    return std::unique_ptr<EventEdit>{std::make_unique<SelectEvents>(std::move(choice))};
  };
  return run_edit(arguments.edit, name + describe_selection(arguments.selection), make);
}

int aggregate(const AggregateArguments& arguments) {
  const auto limit = parse_moment(arguments.shorter_than);
  if (!limit || *limit == 0)
    return fail({Errc::invalid_argument, "--shorter-than " + arguments.shorter_than + " is not a length of time",
                 "write a number and ns, us, ms or s, such as 10us"});
  const auto make = [&](const EditSource& source) -> Result<std::unique_ptr<EventEdit>> {
    return std::unique_ptr<EventEdit>{std::make_unique<FuseEvents>(*limit, source.scratch)};
  };
  return run_edit(arguments.edit, "aggregate --shorter-than " + arguments.shorter_than, make);
}

}  // namespace

Command cut_command() {
  const auto arguments = std::make_shared<SelectArguments>();
  Command command{"cut", "Write a window of time of a merged trace to a new trace", {}, [arguments] {
                    return select(*arguments, "cut", "name the window with --from, --to, or both");
                  }};
  add_edit_options(command, arguments->edit);
  add_window_options(command, arguments->selection);
  add_edit_force(command, arguments->edit);
  command.footer =
      "The window has each call that begins before its end and ends after its beginning, the other ends of their\n"
      "messages, and all participants of their collectives. Times stay as they are.\n";
  return command;
}

Command filter_command() {
  const auto arguments = std::make_shared<SelectArguments>();
  Command command{"filter", "Write some ranks, functions or regions of a merged trace to a new trace", {}, [arguments] {
                    return select(*arguments, "filter", "name what is kept, such as --ranks 0-3");
                  }};
  add_edit_options(command, arguments->edit);
  add_selection_options(command, arguments->selection);
  add_edit_force(command, arguments->edit);
  command.footer = "The other ends of messages, and all participants of collectives, are kept, too.\n";
  return command;
}

Command sort_command() {
  const auto arguments = std::make_shared<EditArguments>();
  Command command{"sort", "Put the events of a merged trace that another program changed in order", {}, [arguments] {
                    return run_edit(*arguments, "sort",
                                    [](const EditSource& source) -> Result<std::unique_ptr<EventEdit>> {
                                      return std::unique_ptr<EventEdit>{std::make_unique<SortEvents>(source.scratch)};
                                    });
                  }};
  add_edit_options(command, *arguments);
  add_edit_force(command, *arguments);
  command.footer =
      "Orders by time, then rank, thread and place in the file; references, indexes, statistics and analyses are made\n"
      "anew. A file that `meridian merge` wrote is in order already. Exit code 2 if messages are received before they\n"
      "are sent.\n";
  return command;
}

Command aggregate_command() {
  const auto arguments = std::make_shared<AggregateArguments>();
  Command command{"aggregate",
                  "Write a merged trace to a new one with fewer events: runs of short calls become one",
                  {},
                  [arguments] { return aggregate(*arguments); }};
  add_edit_options(command, arguments->edit);
  command.options.push_back({"--shorter-than", "TIME",
                             "Longest call, and longest time between two, of such a run (default: 10us)",
                             &arguments->shorter_than});
  add_edit_force(command, arguments->edit);
  command.footer =
      "A run has consecutive calls of one thread with the same function, call site and communicator. Calls of\n"
      "collectives, calls that received messages, waited or made others wait, and events of the program stay single.\n"
      "Numbers, bytes and times of functions do not change.\n";
  return command;
}

}  // namespace meridian
