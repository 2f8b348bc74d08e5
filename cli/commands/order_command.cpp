// SPDX-License-Identifier: Apache-2.0
// meridian order: which of two events happened first, if the bounds of the clocks determine it.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/call_label.hpp"
#include "merged/merged_trace.hpp"
#include "merger/model/event_ref.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct OrderArguments {
  std::string directory, first, second;
  bool assumes_latencies = false;
};

/// One end of a call.
struct Moment {
  EventRef call;
  bool is_leave = false;
};

/// RANK[.THREAD]:CALL[:leave]
Result<Moment> parse_moment(const std::string& given) {
  Moment moment;
  std::string_view text = given;
  const auto call = take_call_label(text);
  if (call && (text.empty() || text == ":enter" || text == ":leave")) {
    moment.call = *call;
    moment.is_leave = text == ":leave";
    return moment;
  }
  return Error{Errc::invalid_argument, fmt::format("'{}' names no event", given),
               "give RANK:CALL, RANK.THREAD:CALL or RANK:CALL:leave; calls are numbered from 0 in each thread"};
}

std::string bound_text(const std::optional<ClockBound>& bound) {
  if (!bound) return "no bound";
  return fmt::format("-{} +{}", human_duration(static_cast<double>(bound->early_ns) * 1e-9),
                     human_duration(static_cast<double>(bound->late_ns) * 1e-9));
}

int order(const OrderArguments& arguments) {
  Moment moments[2];
  const std::string* const texts[2] = {&arguments.first, &arguments.second};
  for (int i = 0; i < 2; ++i) {
    auto moment = parse_moment(*texts[i]);
    if (!moment) return fail(moment.error());
    moments[i] = *moment;
  }
  fs::path merged = arguments.directory;
  std::error_code problem;
  if (fs::is_directory(merged, problem)) merged /= "merged.h5";
  const auto trace = MergedTrace::open(merged);
  if (!trace) return fail(trace.error());
  const auto bounds = trace->clock_bounds();
  if (!bounds) return fail(bounds.error());

  const BoundLevel level = arguments.assumes_latencies ? BoundLevel::t2 : BoundLevel::t1;
  std::int64_t times[2];
  std::optional<std::uint32_t> domains[2];
  std::optional<ClockBound> known[2];
  std::string lines;
  for (std::size_t i = 0; i < 2; ++i) {
    const EventRef& call = moments[i].call;
    const auto row = trace->find(call.rank, call.thread, call.event);
    if (!row) return fail(row.error());
    const auto event = trace->event(*row);
    if (!event) return fail(event.error());
    times[i] = moments[i].is_leave ? event->leave_ns() : event->enter_ns;
    domains[i] = trace->definitions().clock_domain(event->rank);
    if (domains[i]) known[i] = bounds->at(*domains[i], times[i], level);
    lines += fmt::format("  {}  {} {}  {:.9f} s  {}\n", *texts[i], trace->definitions().call_name(event->call),
                         moments[i].is_leave ? "left" : "entered", static_cast<double>(times[i]) * 1e-9,
                         bound_text(known[i]));
  }
  EventOrder found = EventOrder::undecided;
  if (domains[0] && domains[0] == domains[1])  // of one clock: times can be compared exactly
    found = times[0] < times[1] ? EventOrder::before : times[1] < times[0] ? EventOrder::after : found;
  else if (known[0] && known[1])
    found = order_of(times[0], *known[0], times[1], *known[1]);
  const char* const words[] = {"before", "after", "undecided"};
  return print(fmt::format("{}\n{}", words[static_cast<std::size_t>(found)], lines)) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command order_command() {
  const auto arguments = std::make_shared<OrderArguments>();
  return {
      "order",
      "Determine which of two events happened first, within the bounds of the clocks",
      {{.names = "directory",
        .value = "DIR",
        .help = "Directory of the trace, or its merged file",
        .target = &arguments->directory,
        .is_required = true},
       {.names = "first",
        .value = "A",
        .help = "Event: RANK:CALL, RANK.THREAD:CALL, RANK:CALL:leave",
        .target = &arguments->first,
        .is_required = true},
       {.names = "second", .value = "B", .help = "The other event", .target = &arguments->second, .is_required = true},
       {"--latencies", "", "Assume that both directions are equal within 20 % (T2)", &arguments->assumes_latencies}},
      [arguments] { return order(*arguments); }};
}

}  // namespace meridian
