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
constexpr double kMostlyEnds = 0.5;     ///< share of MPI_Init and MPI_Finalize in the threads' time
constexpr double kHung = 0.5;           ///< share of calls that never returned in the time in MPI
constexpr double kMuchWaiting = 0.3;    ///< share of waits for locks and threads in a rank's time outside MPI
constexpr std::size_t kMostNamed = 4;   ///< ranks of a list
constexpr double kMostCalls = 0.5;      ///< share of all calls
constexpr double kHubShare = 0.5;       ///< share of all messages that one of four or more ranks receives
constexpr double kMuchOverhead = 0.02;  ///< share of the run

using Advice = std::vector<std::string>;

/// "rank 1 in MPI_Recv (halo.c:70) for 3.20 s"
std::string describe_open_call(const RankSummary& rank) {
  std::string text = fmt::format("rank {} in {}", rank.rank, rank.end_call);
  if (rank.end_call_s > 0) text += fmt::format(" for {}", human_duration(rank.end_call_s));
  return text;
}

/// "was killed by signal 11 (SIGSEGV) outside MPI"
std::string describe_end(const RankSummary& rank) {
  const std::string where = rank.end_call.empty() ? "outside MPI" : "in " + rank.end_call;
  if (rank.end == "MPI_Abort") return fmt::format("called {}", rank.end_call);
  if (rank.end.starts_with("signal")) return fmt::format("was killed by {} {}", rank.end, where);
  if (rank.end == "exit") return fmt::format("called exit {}", where);
  if (rank.end.starts_with("exit")) return fmt::format("ended with code {} {}", rank.end.substr(5), where);
  return "ended " + where;
}

/// Signals by which a program is ended from outside: by its launcher, a time limit or its user.
bool is_ended_from_outside(const RankSummary& rank) {
  for (const char* const name : {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU"})
    if (rank.end.find(name) != std::string::npos) return true;
  return false;
}

/// The rank that ended the program without MPI_Finalize; nullptr: unknown, or all ranks were ended from outside.
const RankSummary* cause_of_end(const std::vector<const RankSummary*>& ended) {
  const RankSummary* cause = nullptr;
  for (const RankSummary* const rank : ended) {
    if (rank->end == "MPI_Abort") return rank;
    if (rank->end.empty() || rank->end == "running" || is_ended_from_outside(*rank)) continue;
    if (cause == nullptr || (rank->end_s >= 0 && rank->end_s < cause->end_s)) cause = rank;
  }
  if (cause != nullptr) return cause;
  // A rank that ended outside MPI while others waited in calls.
  std::vector<const RankSummary*> outside;
  for (const RankSummary* const rank : ended)
    if (rank->end_call.empty() && rank->end != "running") outside.push_back(rank);
  return outside.size() == 1 && ended.size() > 1 ? outside.front() : nullptr;
}

/// Which rank ended the program, or in which calls it hung. True: the program did not end as it should.
bool advise_on_end(const Summary& summary, Advice& advice) {
  std::vector<const RankSummary*> ended;
  for (const RankSummary& rank : summary.ranks)
    if (rank.end != "MPI_Finalize") ended.push_back(&rank);
  if (ended.empty()) return false;
  if (const RankSummary* const cause = cause_of_end(ended)) {
    advice.push_back(fmt::format(
        "Rank {} {}{}. Look there first: the other ranks ended because of it, and the trace stops there.", cause->rank,
        describe_end(*cause), cause->end_s >= 0 ? " after " + human_duration(cause->end_s) : ""));
    return true;
  }
  std::vector<const RankSummary*> waiting;
  for (const RankSummary* const rank : ended)
    if (!rank->end_call.empty()) waiting.push_back(rank);
  std::ranges::stable_sort(waiting, [](const auto* a, const auto* b) { return a->end_call_s > b->end_call_s; });
  std::string where;
  for (std::size_t i = 0; i < std::min(kMostNamed, waiting.size()); ++i)
    where += (i == 0 ? "" : ", ") + describe_open_call(*waiting[i]);
  if (waiting.size() > kMostNamed) where += fmt::format(" and {} more", waiting.size() - kMostNamed);
  const bool is_snapshot = ended.front()->end == "running";
  std::string text = is_snapshot ? "The program was running when this snapshot was made"
                     : ended.front()->end.empty()
                         ? "The program ended without MPI_Finalize"
                         : fmt::format("The program was ended from outside, by {}", ended.front()->end);
  if (!where.empty()) text += ": " + where + ". If it hung, `meridian where` says who waits for whom";
  advice.push_back(text + ".");
  return true;
}

void advise_on_findings(const Summary& summary, bool has_ended_early, Advice& advice) {
  const std::size_t errors = count_findings(summary, Severity::error);
  std::size_t losses = count_findings(summary, Severity::data_loss);
  // That the program ended early has been explained.
  if (has_ended_early)
    losses -= static_cast<std::size_t>(std::ranges::count(summary.findings, "rank.unfinished", &Finding::name));
  if (errors > 0)
    advice.push_back(fmt::format("Look at the {} above first: figures that depend on missing data are too small.",
                                 errors == 1 ? "error" : fmt::format("{} errors", errors)));
  else if (losses > 0)
    advice.push_back("Parts of the run were not recorded (see the findings): counts and times are lower bounds.");
}

/// "the mutex 0x55d0 on rank 0 (1.20 s, held by thread 1)": the lock with the longest waits, of one rank or of all.
std::string describe_worst_lock(const Summary& summary, const RankSummary* of) {
  const LockSummary* worst = nullptr;
  for (const LockSummary& lock : summary.locks) {
    // Threads without work wait in the others.
    const bool is_contention = lock.kind == "mutex" || lock.kind == "rwlock" || lock.kind == "spin";
    if (is_contention && (of == nullptr || lock.rank == of->rank) && (worst == nullptr || lock.wait_s > worst->wait_s))
      worst = &lock;
  }
  if (worst == nullptr || !(worst->wait_s > 0)) return {};
  const std::string name = fmt::format("{:#x}", worst->object);
  std::string text = fmt::format("the {} {}", worst->kind, worst->object == 0 ? "objects" : name);
  if (of == nullptr) text += fmt::format(" on rank {}", worst->rank);
  text += fmt::format(": {} in {}", human_duration(worst->wait_s),
                      worst->contended == 1 ? "one wait" : human_count(worst->contended) + " waits");
  return worst->holder < 0 ? text : text + fmt::format(", mostly while thread {} had it", worst->holder);
}

/// Time outside MPI in which the threads that call MPI waited or slept.
bool waits_much(const RankSummary& rank, double outside_s) {
  return rank.waits_s > kMuchWaiting * outside_s && rank.waits_s > 0;
}

/// True: the others wait for one rank, so their time in MPI is not the cause.
bool advise_on_balance(const Summary& summary, const Load& load, Advice& advice) {
  if (load.ranks.size() < 2 || !std::isfinite(load.balance)) return false;
  const RankLoad& slowest = load.ranks[load.slowest];
  const double gain_s = load.max_outside_s - load.mean_outside_s;
  const double gain_share = summary.run.time_s > 0 ? gain_s / summary.run.time_s : 0;
  if (1 - load.balance < kUneven) {
    advice.push_back(fmt::format(
        "The ranks work evenly (balance {}): the time in MPI is transfer or waiting in turns, not one slow rank.",
        human_percent(load.balance)));
    return false;
  }
  if (gain_share < kLittleGain) {
    advice.push_back(fmt::format(
        "The ranks' work differs (rank {}: {} outside MPI, mean {}), but that is only {} of the run: the rest is the "
        "communication itself, or more ranks than cores.",
        slowest.rank->rank, human_duration(load.max_outside_s), human_duration(load.mean_outside_s),
        human_percent(gain_share)));
    return false;
  }
  const RankSummary& rank = *slowest.rank;
  if (waits_much(rank, load.max_outside_s)) {
    const std::string lock = describe_worst_lock(summary, &rank);
    advice.push_back(fmt::format(
        "Rank {} is the slow one: it is outside MPI for {}, the mean is {}, and the others wait for it. It does not "
        "work all that time: its threads that call MPI wait {} for locks and other threads{}. Begin with these waits.",
        rank.rank, human_duration(load.max_outside_s), human_duration(load.mean_outside_s),
        human_duration(rank.waits_s), lock.empty() ? "" : " (" + lock + ")"));
  } else {
    advice.push_back(fmt::format(
        "Rank {} is the slow one: it works {} outside MPI, the mean is {}, and the others wait for it. Sharing its "
        "work evenly would save up to {} ({} of the run).",
        rank.rank, human_duration(load.max_outside_s), human_duration(load.mean_outside_s), human_duration(gain_s),
        human_percent(gain_share)));
  }
  return true;
}

/// Waits for locks and threads that are no single rank's.
void advise_on_waits(const Summary& summary, const Load& load, bool one_rank_is_slow, Advice& advice) {
  double waits_s = 0;
  double outside_s = 0;
  for (const RankLoad& rank : load.ranks) {
    waits_s += rank.rank->waits_s;
    outside_s += rank.outside_s;
  }
  if (one_rank_is_slow && waits_much(*load.ranks[load.slowest].rank, load.max_outside_s)) return;
  const double share = outside_s > 0 ? waits_s / outside_s : 0;
  if (!(share > kMuchWaiting) || !(waits_s > kLittleGain * summary.run.time_s)) return;
  const std::string lock = describe_worst_lock(summary, nullptr);
  advice.push_back(fmt::format(
      "{} of the time outside MPI is no work: threads that call MPI wait there for locks and "
      "other threads, {} in all{}.",
      human_percent(std::min(share, 1.0)), human_duration(waits_s), lock.empty() ? "" : " (most for " + lock + ")"));
}

/// Functions outside MPI: thread calls, sleep, the program's regions.
bool is_other(const FunctionSummary& function) {
  return function.group == "thread" || function.group == "lock" || function.group == "sleep" ||
         function.group == "user";
}

void advise_on_longest(const Summary& summary, bool one_rank_is_slow, Advice& advice) {
  const auto is_out = [](const FunctionSummary& function) {
    return is_start_or_end(function.name) || is_other(function);
  };
  const auto longest = std::ranges::max_element(summary.functions, [&](const auto& a, const auto& b) {
    return is_out(a) != is_out(b) ? is_out(a) : a.total_s < b.total_s;
  });
  const double rest_s = mpi_seconds(summary) - ends_seconds(summary);
  if (longest == summary.functions.end() || is_out(*longest) || !(rest_s > 0) || !(longest->total_s > 0)) return;
  advice.push_back(fmt::format(
      "{} takes {} of the time in MPI{} ({} {}, mean {}, longest {}): {}.", longest->name,
      human_percent(longest->total_s / rest_s), ends_seconds(summary) > 0 ? " between MPI_Init and MPI_Finalize" : "",
      human_count(longest->count), longest->count == 1 ? "call" : "calls", human_duration(longest->mean_s),
      human_duration(longest->max_s), one_rank_is_slow ? "most of it may be the wait for that rank" : "start there"));
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
        "them (MERIDIAN_BUFFER=16M), and if the writer still cannot keep up, record less "
        "(MERIDIAN_LEVELS=all,-handle,-env).",
        human_percent(flush)));
  if (matters(ends))
    advice.push_back(
        fmt::format("The tracer's start and end took {} of the run: trace a longer one.", human_percent(ends)));
  if (matters(rest))
    advice.push_back(fmt::format(
        "The tracer itself took {} of the run: record less (MERIDIAN_LEVELS=all,-handle,-env).", human_percent(rest)));
}

/// Share of the time in MPI, without MPI_Init and MPI_Finalize, in calls that never returned.
double hung_share(const Summary& summary) {
  double hung_s = 0;
  for (const RankSummary& rank : summary.ranks)
    if (rank.end_call.starts_with("MPI_")) hung_s += rank.end_call_s;
  const double mpi_s = mpi_seconds(summary) - ends_seconds(summary);
  return mpi_s > 0 ? hung_s / mpi_s : 0;
}

}  // namespace

std::vector<std::string> advise(const Summary& summary) {
  Advice advice;
  const bool has_ended_early = advise_on_end(summary, advice);
  advise_on_findings(summary, has_ended_early, advice);
  if (summary.run.calls == 0) {
    advice.push_back(
        "No MPI call was recorded. Start the program as `mpirun -n 4 meridian run ./program`; `meridian doctor` says "
        "what "
        "would keep it from being traced.");
    return advice;
  }
  const Load load = measure_load(summary);
  double thread_s = 0;
  for (const RankSummary& rank : summary.ranks) thread_s += rank.thread_s;
  const double ends_share = thread_s > 0 ? ends_seconds(summary) / thread_s : 0;
  if (ends_share > kMostlyEnds && !has_ended_early)
    advice.push_back(
        fmt::format("MPI_Init and MPI_Finalize are {} of the run; no share includes them. The rest is short: trace a "
                    "longer run.",
                    human_percent(ends_share)));
  advise_on_overhead(summary, advice);
  if (hung_share(summary) < kHung) {
    bool one_rank_is_slow = false;
    const bool is_about_mpi = !(load.mpi_share < kLittleMpi);
    if (!is_about_mpi)
      advice.push_back(
          fmt::format("MPI takes only {} of the ranks' time: look at the computation (a sampling profiler such as "
                      "perf), not at the communication.",
                      human_percent(load.mpi_share)));
    else
      one_rank_is_slow = advise_on_balance(summary, load, advice);
    advise_on_waits(summary, load, one_rank_is_slow, advice);
    if (is_about_mpi) advise_on_longest(summary, one_rank_is_slow, advice);
  }
  advise_on_messages(summary, advice);
  advise_on_polling(summary, advice);
  advise_on_clocks(summary, advice);
  advice.push_back(
      "The same figures for a script: `meridian stats --json` or `--csv`. Every single event: merged.h5, which "
      "h5py and pandas read.");
  return advice;
}

}  // namespace meridian
