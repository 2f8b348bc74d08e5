// SPDX-License-Identifier: Apache-2.0
// Calls that never returned, because the program ended or hung.
#include "summary/problems/problem_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "summary/problems/problems.hpp"
#include "summary/run_end.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostWaiting = 4;

bool is_unfinished(const RankSummary& rank) {
  return rank.end != kFinalized && rank.end != "running" && rank.end != kAborted && is_mpi_name(rank.end_call);
}

/// The function in "MPI_Recv (a.c:7)"
std::string_view function_of(std::string_view call) { return call.substr(0, call.find(' ')); }

}  // namespace

Unfinished unfinished_calls(const Summary& summary, std::string_view function) {
  Unfinished sum;
  for (const RankSummary& rank : summary.ranks) {
    if (!(is_unfinished(rank) || rank.end == kAborted) || function_of(rank.end_call) != function) continue;
    ++sum.calls;
    sum.time_s += rank.end_call_s;
  }
  return sum;
}

double find_unfinished_calls(const Summary& summary, std::vector<ProblemSummary>& problems) {
  const RankSummary* const cause = cause_of_end(summary);
  std::vector<const RankSummary*> waiting;
  double cost_s = 0;
  for (const RankSummary& rank : summary.ranks) {
    if (!is_unfinished(rank) || &rank == cause || !(rank.end_call_s > 0)) continue;
    waiting.push_back(&rank);
    cost_s += rank.end_call_s;
  }
  if (waiting.empty()) return 0;
  std::ranges::stable_sort(waiting, [](const auto* a, const auto* b) { return a->end_call_s > b->end_call_s; });
  ProblemSummary& problem = problems.emplace_back();
  problem.problem = problem_name(ProblemKind::unfinished_calls);
  problem.cost_s = cost_s;
  const std::string_view call = waiting.front()->end_call;
  problem.function = function_of(call);
  const std::size_t place = call.find(" (");
  if (place != std::string_view::npos && call.ends_with(')'))
    problem.place = call.substr(place + 2, call.size() - place - 3);
  std::string where;
  for (std::size_t i = 0; i < std::min(kMostWaiting, waiting.size()); ++i)
    where += fmt::format("{}rank {} for {} in {}", i == 0 ? "" : ", ", waiting[i]->rank,
                         human_duration(waiting[i]->end_call_s), waiting[i]->end_call);
  if (waiting.size() > kMostWaiting) where += fmt::format(" and {} more", waiting.size() - kMostWaiting);
  problem.text = fmt::format("{} waited for what never came: {}.",
                             waiting.size() == 1 ? "One rank" : fmt::format("{} ranks", waiting.size()), where);
  const auto deadlock = std::ranges::find(summary.findings, "rank.deadlock", &Finding::name);
  if (deadlock != summary.findings.end()) {
    problem.problem = problem_name(ProblemKind::deadlock);
    problem.text = fmt::format("{} ranks waited for one another until the program was ended: {}.",
                               human_count(deadlock->count), deadlock->detail);
    problem.remedy = deadlock->remedy;
  } else if (cause != nullptr) {
    problem.causer = cause->rank;
    problem.text += fmt::format(" Rank {} {}.", cause->rank, describe_end(*cause));
    const bool is_killed = cause->end.find("SIGKILL") != std::string::npos;
    problem.remedy =
        fmt::format("Find out why rank {} ended.{}", cause->rank,
                    is_killed ? " Linux ends a process in this way if memory runs out: `dmesg` tells." : "");
  } else {
    problem.remedy = "`meridian where` with the folder of the trace says who waits for whom.";
  }
  return cost_s;
}

}  // namespace meridian
