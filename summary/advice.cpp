// SPDX-License-Identifier: Apache-2.0
#include "summary/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

// Thresholds at which a figure gets a sentence, chosen so that a healthy program gets few.
constexpr double kLittleMpi = 0.05;   ///< share of the time in MPI
constexpr double kUneven = 0.10;      ///< 1 - load balance
constexpr double kLittleGain = 0.02;  ///< share of the run that perfect balance would save
constexpr double kSmallBytes = 1024;  ///< mean message
constexpr double kManyMessages = 10'000;
constexpr double kMostlyStart = 0.5;    ///< share of MPI_Init and MPI_Finalize in the time in MPI
constexpr double kSomeStart = 0.01;     ///< the same; above it, they are excluded from other shares
constexpr double kMostCalls = 0.5;      ///< share of all calls
constexpr double kHubShare = 0.5;       ///< share of all messages that one of four or more ranks receives
constexpr double kMuchOverhead = 0.02;  ///< share of the run

using Advice = std::vector<std::string>;

void advise_on_findings(const Summary& summary, Advice& advice) {
  const std::size_t errors = count_findings(summary, Severity::error);
  const std::size_t losses = count_findings(summary, Severity::data_loss);
  if (errors > 0)
    advice.push_back(fmt::format("Look at the {} above first: figures that depend on missing data are too small.",
                                 errors == 1 ? "error" : fmt::format("{} errors", errors)));
  else if (losses > 0)
    advice.push_back("Parts of the run were not recorded (see the findings): counts and times are lower bounds.");
}

void advise_on_balance(const Summary& summary, const Load& load, Advice& advice) {
  if (load.ranks.size() < 2 || !std::isfinite(load.balance)) return;
  const RankLoad& slowest = load.ranks[load.slowest];
  const double gain_s = load.max_outside_s - load.mean_outside_s;
  const double gain_share = summary.run.time_s > 0 ? gain_s / summary.run.time_s : 0;
  if (1 - load.balance < kUneven)
    advice.push_back(fmt::format(
        "The ranks work evenly (balance {}): the time in MPI is transfer or waiting in turns, not one slow rank.",
        human_percent(load.balance)));
  else if (gain_share < kLittleGain)
    advice.push_back(fmt::format(
        "The ranks' work differs (rank {}: {} outside MPI, mean {}), but that is only {} of the run: the rest is the "
        "communication itself, or more ranks than cores.",
        slowest.rank->rank, human_duration(load.max_outside_s), human_duration(load.mean_outside_s),
        human_percent(gain_share)));
  else
    advice.push_back(
        fmt::format("Rank {} is the slow one: it works {} outside MPI, the mean is {}, and the others wait for it. "
                    "Sharing its work "
                    "evenly would save up to {} ({} of the run).",
                    slowest.rank->rank, human_duration(load.max_outside_s), human_duration(load.mean_outside_s),
                    human_duration(gain_s), human_percent(gain_share)));
}

bool is_start_or_end(const FunctionSummary& function) {
  return function.name.starts_with("MPI_Init") || function.name == "MPI_Finalize";
}

/// Functions outside MPI: thread calls, sleep, the program's regions.
bool is_other(const FunctionSummary& function) {
  return function.group == "thread" || function.group == "lock" || function.group == "sleep" ||
         function.group == "user";
}

double start_seconds(const Summary& summary) {
  double seconds = 0;
  for (const FunctionSummary& function : summary.functions)
    if (is_start_or_end(function)) seconds += function.total_s;
  return seconds;
}

void advise_on_longest(const Summary& summary, double start_share, Advice& advice) {
  const auto longest =
      std::max_element(summary.functions.begin(), summary.functions.end(), [](const auto& a, const auto& b) {
        const bool a_is_out = is_start_or_end(a) || is_other(a);
        const bool b_is_out = is_start_or_end(b) || is_other(b);
        return a_is_out != b_is_out ? a_is_out : a.total_s < b.total_s;
      });
  const double rest_s = mpi_seconds(summary) - start_seconds(summary);
  if (longest == summary.functions.end() || is_start_or_end(*longest) || is_other(*longest) || !(rest_s > 0)) return;
  advice.push_back(fmt::format("{} takes {} of the time in MPI{} ({} calls, mean {}, longest {}): start there.",
                               longest->name, human_percent(longest->total_s / rest_s),
                               start_share > kSomeStart ? " after MPI_Init" : "", human_count(longest->count),
                               human_duration(longest->mean_s), human_duration(longest->max_s)));
}

void advise_on_messages(const Summary& summary, Advice& advice) {
  const MessageSummary& messages = summary.messages;
  const auto matched = static_cast<double>(messages.matched);
  if (matched < kManyMessages) return;
  const double mean = static_cast<double>(messages.bytes) / matched;
  if (mean < kSmallBytes)
    advice.push_back(fmt::format("{} messages carry {} on average: fewer and larger ones would save latency.",
                                 human_count(messages.matched), human_bytes(mean)));
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
    const bool is_poll =
        function.name.find("robe") != std::string::npos || function.name.find("Test") != std::string::npos;
    const double share = static_cast<double>(function.count) / static_cast<double>(summary.run.calls);
    if (is_poll && share > kMostCalls)
      advice.push_back(
          fmt::format("{} is {} of all calls: the program polls; a blocking call, or more work between two "
                      "polls, leaves the core to others.",
                      function.name, human_percent(share)));
  }
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

void advise_on_overhead(const Summary& summary, Advice& advice) {
  double share = 0;
  for (const OverheadSummary& row : summary.overhead) share += row.share;
  if (std::isfinite(share) && share > kMuchOverhead)
    advice.push_back(
        fmt::format("The tracer itself took {} of the run: record less (MERIDIAN_LEVELS=all,-handle,-env), or "
                    "trace a longer run.",
                    human_percent(share)));
}

}  // namespace

std::vector<std::string> advise(const Summary& summary) {
  Advice advice;
  advise_on_findings(summary, advice);
  if (summary.run.calls == 0) {
    advice.push_back(
        "No MPI call was recorded. Start the program as `mpirun -n 4 meridian run ./program`; `meridian doctor` says "
        "what "
        "would keep it from being traced.");
    return advice;
  }
  const Load load = measure_load(summary);
  const double mpi_s = mpi_seconds(summary);
  const double start_share = mpi_s > 0 ? start_seconds(summary) / mpi_s : 0;
  if (start_share > kMostlyStart)
    advice.push_back(
        fmt::format("MPI_Init and MPI_Finalize are {} of the time in MPI: the run is too short to say much; "
                    "trace a longer one.",
                    human_percent(start_share)));
  else if (load.mpi_share < kLittleMpi)
    advice.push_back(
        fmt::format("MPI takes only {} of the ranks' time: look at the computation (a sampling profiler such as "
                    "perf), not at the communication.",
                    human_percent(load.mpi_share)));
  else
    advise_on_balance(summary, load, advice);
  advise_on_longest(summary, start_share, advice);
  advise_on_messages(summary, advice);
  advise_on_polling(summary, advice);
  advise_on_clocks(summary, advice);
  advise_on_overhead(summary, advice);
  advice.push_back(
      "The same figures for a script: `meridian stats --json` or `--csv`. Every single event: merged.h5, which "
      "h5py and pandas read.");
  return advice;
}

}  // namespace meridian
