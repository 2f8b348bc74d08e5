// SPDX-License-Identifier: Apache-2.0
#include "summary/run_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostNamed = 4;     ///< ranks of a list
constexpr double kLauncherEndsAll = 0.5;  ///< seconds in which a launcher has ended all ranks of a program

/// "rank 1 in MPI_Recv (halo.c:70) for 3.20 s"
std::string describe_open_call(const RankSummary& rank) {
  std::string text = fmt::format("rank {} in {}", rank.rank, rank.end_call);
  if (rank.end_call_s > 0) text += fmt::format(" for {}", human_duration(rank.end_call_s));
  return text;
}

/// Signals by which a program is ended from outside: by its launcher, a time limit or its user.
bool is_ended_from_outside(const RankSummary& rank) {
  for (const char* const name : {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU"})
    if (rank.end.find(name) != std::string::npos) return true;
  return false;
}

/// Signals by which a program, or the batch system before its limit, ends what takes too long: a rank in a call waited there.
bool is_ended_by_time_limit(const RankSummary& rank) {
  if (rank.end_call.empty()) return false;
  for (const char* const name : {"SIGALRM", "SIGUSR1", "SIGUSR2"})
    if (rank.end.find(name) != std::string::npos) return true;
  return false;
}

bool is_ended_by_itself(const RankSummary& rank) {
  return !rank.end.empty() && rank.end != "running" && !is_ended_from_outside(rank) && !is_ended_by_time_limit(rank);
}

/// When the rank began to end; of one that called MPI_Abort the time of that call, which returns only to end the process. Negative: unknown.
double end_begin_s(const RankSummary& rank) {
  return rank.end == kAborted && rank.end_s >= 0 ? std::max(0.0, rank.end_s - rank.end_call_s) : rank.end_s;
}

/// The MPI library ended the rank in a call, as MPICH does in all ranks when one of them has called MPI_Abort.
bool is_ended_by_abort(const RankSummary& rank, const RankSummary& cause) {
  return cause.end == kAborted && rank.end.starts_with("exit") && !rank.end_call.empty();
}

/// All processes left by exit, without an error and without a call under way: none ended because of another one.
bool have_all_left(const Summary& summary) {
  return std::ranges::all_of(summary.ranks, [](const RankSummary& rank) {
    return rank.end == kFinalized || ((rank.end == "exit" || rank.end == "exit 0") && rank.end_call.empty());
  });
}

/// "the other ranks ended because of it", as far as they did not end by themselves
std::string describe_others(const std::vector<const RankSummary*>& ended, const RankSummary& cause) {
  std::size_t alone = 0, same = 0;
  for (const RankSummary* const rank : ended) {
    if (rank == &cause || rank->end == kAborted || !is_ended_by_itself(*rank)) continue;
    if (is_ended_by_abort(*rank, cause)) continue;
    ++alone;
    same += rank->end == cause.end ? 1 : 0;
  }
  if (alone == 0) return "the other ranks ended because of it";
  return fmt::format("{} ended later, {}{}", alone == 1 ? "another rank" : fmt::format("{} other ranks", alone),
                     same == alone ? "in the same way"
                     : alone == 1  ? "by itself"
                                   : "by themselves",
                     alone + 1 < ended.size() ? ", the others because of it" : "");
}

std::vector<const RankSummary*> ended_early(const Summary& summary) {
  std::vector<const RankSummary*> ended;
  for (const RankSummary& rank : summary.ranks)
    if (rank.end != kFinalized) ended.push_back(&rank);
  return ended;
}

/// The rank that something outside ended before all others, which its launcher ended therefore: with another signal than the
/// kernel's where memory runs out, or much later than a launcher takes to end all ranks of a program. Where ranks
/// end by SIGTERM and others later by SIGKILL, these may only have caught the first signal.
const RankSummary* ended_alone_from_outside(const std::vector<const RankSummary*>& ended) {
  const auto is_known = [](const RankSummary* rank) { return rank->end_s >= 0 && is_ended_from_outside(*rank); };
  if (ended.size() < 2 || !std::ranges::all_of(ended, is_known)) return nullptr;
  const RankSummary* const first = *std::ranges::min_element(ended, {}, &RankSummary::end_s);
  const bool is_killed = first->end.find("SIGKILL") != std::string::npos;
  const bool is_alone = std::ranges::all_of(ended, [&](const RankSummary* rank) {
    if (rank == first) return true;
    if (rank->end != first->end) return is_killed && rank->end_s > first->end_s;
    return rank->end_s >= first->end_s + kLauncherEndsAll;
  });
  return is_alone ? first : nullptr;
}

/// A time limit or a user ended all ranks. SIGKILL may also be the kernel's where memory runs out, followed by the launcher's.
bool are_ended_together(const std::vector<const RankSummary*>& ended) {
  const RankSummary& any = *ended.front();
  return is_ended_from_outside(any) && any.end.find("SIGKILL") == std::string::npos &&
         std::ranges::all_of(ended, [&](const RankSummary* rank) { return rank->end == any.end; });
}

std::vector<const RankSummary*> ended_outside_calls(const std::vector<const RankSummary*>& ended) {
  std::vector<const RankSummary*> outside;
  for (const RankSummary* const rank : ended)
    if (rank->end_call.empty() && rank->end != "running") outside.push_back(rank);
  return outside;
}

const RankSummary* cause_of_end(const std::vector<const RankSummary*>& ended) {
  const RankSummary *cause = nullptr, *aborted = nullptr;
  for (const RankSummary* const rank : ended) {
    const bool is_first = aborted == nullptr || (end_begin_s(*rank) >= 0 && end_begin_s(*rank) < end_begin_s(*aborted));
    if (rank->end == kAborted && is_first) aborted = rank;
    if (!is_ended_by_itself(*rank)) continue;
    if (cause == nullptr || (rank->end_s >= 0 && rank->end_s < cause->end_s)) cause = rank;
  }
  if (aborted != nullptr) return aborted;
  if (cause != nullptr) return cause;
  if (const RankSummary* const alone = ended_alone_from_outside(ended)) return alone;
  if (are_ended_together(ended)) return nullptr;
  // A rank that ended outside MPI while others waited in calls.
  const std::vector<const RankSummary*> outside = ended_outside_calls(ended);
  return outside.size() == 1 && ended.size() > 1 ? outside.front() : nullptr;
}

}  // namespace

std::string describe_end(const RankSummary& rank) {
  const std::string where = rank.end_call.empty() ? "outside MPI" : "in " + rank.end_call;
  if (rank.end == kAborted) return fmt::format("called {}", rank.end_call);
  if (rank.end.starts_with("signal")) return fmt::format("was killed by {} {}", rank.end, where);
  if (rank.end == "exit") return fmt::format("called exit {}", where);
  if (rank.end.starts_with("exit")) return fmt::format("ended with code {} {}", rank.end.substr(5), where);
  return "ended " + where;
}

const RankSummary* cause_of_end(const Summary& summary) {
  const std::vector<const RankSummary*> ended = ended_early(summary);
  return ended.empty() || have_all_left(summary) ? nullptr : cause_of_end(ended);
}

std::string describe_run_end(const Summary& summary) {
  const std::vector<const RankSummary*> ended = ended_early(summary);
  if (ended.empty()) return {};
  if (have_all_left(summary))
    return fmt::format("{} ended by exit without MPI_Finalize: the trace stops there.",
                       ended.size() == 1                      ? fmt::format("Rank {}", ended.front()->rank)
                       : ended.size() == summary.ranks.size() ? fmt::format("All {} ranks", ended.size())
                                                              : fmt::format("{} ranks", ended.size()));
  if (const RankSummary* const cause = cause_of_end(ended))
    return fmt::format("Rank {} {}{}. Look there first: {}, and the trace stops there.", cause->rank,
                       describe_end(*cause), cause->end_s >= 0 ? " after " + human_duration(end_begin_s(*cause)) : "",
                       describe_others(ended, *cause));
  std::vector<const RankSummary*> waiting;
  for (const RankSummary* const rank : ended)
    if (!rank->end_call.empty()) waiting.push_back(rank);
  std::ranges::stable_sort(waiting, [](const auto* a, const auto* b) { return a->end_call_s > b->end_call_s; });
  std::string where;
  for (std::size_t i = 0; i < std::min(kMostNamed, waiting.size()); ++i)
    where += (i == 0 ? "" : ", ") + describe_open_call(*waiting[i]);
  if (waiting.size() > kMostNamed) where += fmt::format(" and {} more", waiting.size() - kMostNamed);
  const std::vector<const RankSummary*> outside = ended_outside_calls(ended);
  if (!where.empty() && outside.size() == 1) where += fmt::format(", rank {} outside MPI", outside.front()->rank);
  const bool is_snapshot = ended.front()->end == "running";
  const auto limited =
      std::ranges::find_if(ended, [](const RankSummary* rank) { return is_ended_by_time_limit(*rank); });
  std::string text = is_snapshot ? "The program was running when this snapshot was made"
                     : limited != ended.end()
                         ? fmt::format("The program was ended by {} in rank {}", (*limited)->end, (*limited)->rank)
                     : ended.front()->end.empty()
                         ? "The program ended without MPI_Finalize"
                         : fmt::format("The program was ended from outside, by {}", ended.front()->end);
  if (!where.empty()) text += ": " + where + ". If it hung, `meridian where` says who waits for whom";
  return text + ".";
}

}  // namespace meridian
