// SPDX-License-Identifier: Apache-2.0
#include "summary/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "summary/measures.hpp"
#include "summary/recorded_part.hpp"
#include "summary/run_end.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/import_keys.hpp"

namespace meridian {
namespace {

// Thresholds at which a figure gets a sentence, chosen so that a healthy program gets few.
constexpr double kLittleMpi = 0.05;  ///< share of the time in MPI
constexpr double kManyMessages = 10'000;
constexpr double kMostlyEnds = 0.5;     ///< share of MPI_Init and MPI_Finalize in the threads' time
constexpr double kMostCalls = 0.5;      ///< share of all calls
constexpr double kHubShare = 0.5;       ///< share of all messages that one of four or more ranks receives
constexpr double kManyOpenShare = 0.2;  ///< of the waits, shorter than the bounds of the clocks
constexpr std::uint64_t kManyOpen = 100;
constexpr double kMuchOverhead = 0.02;  ///< share of the run
constexpr double kManyOfAGroup = 0.2;   ///< share of all calls, from which on leaving out a group helps

using Advice = std::vector<std::string>;

void advise_on_messages(const Summary& summary, Advice& advice) {
  const MessageSummary& messages = summary.messages;
  const auto matched = static_cast<double>(messages.matched);
  if (matched < kManyMessages) return;
  if (summary.ranks.size() < 4) return;
  const auto hub = std::max_element(summary.ranks.begin(), summary.ranks.end(), [](const auto& a, const auto& b) {
    return a.messages_received < b.messages_received;
  });
  if (static_cast<double>(hub->messages_received) > kHubShare * matched)
    advice.push_back(
        fmt::format("Rank {} receives {} of all messages: a collective, or several such ranks, would spread that.",
                    hub->rank, human_percent(static_cast<double>(hub->messages_received) / matched)));
}

void advise_on_polling(const Summary& summary, Advice& advice) {
  for (const FunctionSummary& function : summary.functions) {
    const bool is_poll = facts_of(function.name).facts.poll != Poll::no;
    const double share = static_cast<double>(function.count) / static_cast<double>(summary.run.calls);
    if (is_poll && share > kMostCalls)
      advice.push_back(
          fmt::format("{} is {} of all calls: the program polls; a blocking call, or more work between two "
                      "polls, leaves the core to others.",
                      function.name, human_percent(share)));
  }
}

/// Waits whose length, and even existence, the clocks leave open.
void advise_on_bounds(const Summary& summary, Advice& advice) {
  std::uint64_t known = 0, open = 0;
  for (const WaitSummary& row : summary.waits) {
    known += row.count;
    open += row.unresolved;
  }
  if (open < kManyOpen || static_cast<double>(open) < kManyOpenShare * static_cast<double>(known + open)) return;
  advice.push_back(
      fmt::format("{} of {} waits are shorter than the bounds of the two clocks and count as none: the times between "
                  "hosts are not exact enough for them (section clocks; MERIDIAN_CLOCK_PERIOD, docs/CLOCKS.md).",
                  human_count(open), human_count(known + open)));
}

void advise_on_clocks(const Summary& summary, Advice& advice) {
  double residual_s = 0;
  for (const ClockSummary& clock : summary.clocks) residual_s = std::max(residual_s, clock.residual_s);
  if (summary.reversed_before == 0) return;
  std::string advice_text =
      fmt::format("{} messages or collectives were out of order by the corrected clocks; the last pass put them right.",
                  human_count(summary.reversed_before));
  if (residual_s > 0)
    advice_text += fmt::format(" Between hosts, differences below {} mean nothing.", human_duration(residual_s));
  advice.push_back(std::move(advice_text));
}

/// Records of calls of other groups mean the same without the records of this group.
bool may_be_left_out(CallGroup group) {
  switch (group) {
    case CallGroup::none:
    case CallGroup::p2p:
    case CallGroup::request:
    case CallGroup::coll:
    case CallGroup::comm:
    case CallGroup::topo:
    case CallGroup::rma:
    case CallGroup::io:
    case CallGroup::spawn:
      return false;
    default:
      return true;
  }
}

/// How to give the tracer less work: without the group that has most calls, or else in a part of the run.
std::string less_work(const Summary& summary) {
  double all = 0;
  std::map<std::string_view, double> calls;
  for (const FunctionSummary& row : summary.functions) {
    all += static_cast<double>(row.count);
    if (may_be_left_out(group_by_name(row.group))) calls[row.group] += static_cast<double>(row.count);
  }
  const auto most = std::ranges::max_element(calls, {}, &std::pair<const std::string_view, double>::second);
  if (most == calls.end() || most->second < kManyOfAGroup * all)
    return "record a part of the run (MERIDIAN_WINDOW=from:to, in seconds)";
  return fmt::format("record less (MERIDIAN_LEVELS=all,-{})", most->first);
}

/// The tracer's own work in a run is due to waits for the writer, to its start and end, or to the events.
void advise_on_overhead(const Summary& summary, Advice& advice) {
  double flush = 0;
  double ends = 0;
  double rest = 0;
  for (const OverheadSummary& row : summary.overhead) {
    const bool is_end = row.name == "start" || row.name == "finish" || row.name == "thread attach";
    (row.name == "flush wait" ? flush : is_end ? ends : rest) += row.share;
  }
  const auto matters = [](double share) { return std::isfinite(share) && share > kMuchOverhead; };
  if (matters(flush))
    advice.push_back(fmt::format(
        "The program waited {} of the run for room in full rings, which counts as time outside MPI: enlarge "
        "them (MERIDIAN_BUFFER=16M), and if the writer still cannot keep up, {}.",
        human_percent(flush), less_work(summary)));
  if (matters(ends))
    advice.push_back(
        fmt::format("The tracer's start and end took {} of the run: trace a longer one.", human_percent(ends)));
  if (matters(rest))
    advice.push_back(fmt::format("The tracer itself took {} of the run: {}.", human_percent(rest), less_work(summary)));
}

}  // namespace

std::string describe_flaws(const Summary& summary) {
  const std::size_t errors = count_findings(summary, Severity::error);
  if (errors > 0)
    return fmt::format("Look at the {} among the findings first: figures that depend on missing data are too small.",
                       errors == 1 ? "error" : fmt::format("{} errors", errors));
  std::size_t losses = count_findings(summary, Severity::data_loss);
  // That the program ended early has been explained.
  if (!describe_run_end(summary).empty())
    losses -= static_cast<std::size_t>(std::ranges::count(summary.findings, "rank.unfinished", &Finding::name));
  return losses == 0 ? "" : "Parts of the run were not recorded (see the findings): counts and times are lower bounds.";
}

/// The functions that compute longest; how to get them where they are not known.
std::string describe_computation(const Summary& summary) {
  constexpr std::size_t kMost = 3;
  constexpr double kLeastShare = 0.05;
  std::string functions;
  std::size_t count = 0;
  for (const ProgramFunctionSummary& row : summary.program_functions) {
    if (count == kMost || row.share < kLeastShare) break;
    functions += fmt::format("{}{} {}{}", count++ == 0 ? "" : ", ", human_percent(row.share), row.function,
                             row.place.empty() ? "" : " (" + row.place + ")");
  }
  if (functions.empty()) return "With samples its functions are known: meridian help functions.";
  return "The time outside MPI: " + functions + ".";
}

std::vector<std::string> advise(const Summary& summary) {
  Advice advice;
  const bool has_ended_early = !describe_run_end(summary).empty();
  if (summary.run.calls == 0 && summary.run.mpi_library == kImportedLibrary) {
    advice.push_back("The archive has no MPI calls: nothing is known of waits for other ranks.");
    return advice;
  }
  if (summary.run.calls == 0 && may_be_a_part(summary)) {
    advice.push_back(
        "No MPI call is left: this part of the run has none. The original merged file has those of the whole run.");
    return advice;
  }
  if (const RecordedPart part = recorded_part(summary); summary.run.calls == 0 && part.missing != 0) {
    advice.push_back(
        fmt::format("No MPI call was recorded: {} were left out ({}). `meridian stats --section filtered` names them.",
                    human_count(part.missing), part.reason));
    return advice;
  }
  if (summary.run.calls == 0) {
    advice.push_back(
        "No MPI call was recorded. Start the program as `mpirun -n 4 meridian run ./program`; `meridian doctor` says "
        "what would keep it from being traced.");
    return advice;
  }
  const Load load = measure_load(summary);
  const double thread_s = sum_of(summary.ranks, &RankSummary::thread_s);
  const double ends_share = thread_s > 0 ? ends_seconds(summary) / thread_s : 0;
  if (ends_share > kMostlyEnds && !has_ended_early)
    advice.push_back(
        fmt::format("MPI_Init and MPI_Finalize are {} of the run; no share includes them. The rest is short: trace a "
                    "longer run.",
                    human_percent(ends_share)));
  advise_on_overhead(summary, advice);
  if (load.mpi_share < kLittleMpi && !has_ended_early)
    advice.push_back(
        fmt::format("MPI takes only {} of the ranks' time: look at the computation, not at the communication. {}",
                    human_percent(load.mpi_share), describe_computation(summary)));
  advise_on_messages(summary, advice);
  advise_on_polling(summary, advice);
  advise_on_clocks(summary, advice);
  advise_on_bounds(summary, advice);
  return advice;
}

}  // namespace meridian
