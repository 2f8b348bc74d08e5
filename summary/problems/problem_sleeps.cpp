// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_sleeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "summary/problems/wait_groups.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kLeastTold = 0.05;    ///< of a rank's time outside MPI
constexpr double kMostOfExcess = 0.6;  ///< of what ranks are longer outside MPI than the others

constexpr double kOfThreads =
    0.5;  ///< of what ranks sleep longer than the others, that their other threads work longer

/// [rank]: time outside MPI, from samples, of the busiest of its threads that never call MPI.
std::map<std::int32_t, double> work_of_threads(const Summary& summary) {
  std::map<std::pair<std::int32_t, std::uint32_t>, double> threads;
  for (const ThreadFunctionSummary& row : summary.thread_functions) threads[{row.rank, row.thread}] += row.self_s;
  std::map<std::int32_t, double> most;
  for (const ThreadSummary& row : summary.threads) {
    const auto found = threads.find({row.rank, row.thread});
    if (row.calls == 0 && found != threads.end()) most[row.rank] = std::max(most[row.rank], found->second);
  }
  return most;
}

/// By how much these ranks have more than the others, on average.
struct Excess {
  double outside_s = 0, slept_s = 0, of_threads_s = 0;
};

Excess excess_of(const Summary& summary, const Load& load, const std::vector<std::int32_t>& ranks) {
  const std::map<std::int32_t, double> work = work_of_threads(summary);
  Excess late, other;
  double count = 0, others = 0;
  for (const RankLoad& rank : load.ranks) {
    const bool is_late = std::ranges::find(ranks, rank.rank->rank) != ranks.end();
    Excess& sum = is_late ? late : other;
    const auto found = work.find(rank.rank->rank);
    sum.outside_s += rank.outside_s;
    sum.slept_s += rank.slept_s;
    sum.of_threads_s += found == work.end() ? 0 : found->second;
    (is_late ? count : others) += 1;
  }
  if (count == 0 || others == 0) return {};
  return {late.outside_s / count - other.outside_s / others, late.slept_s / count - other.slept_s / others,
          late.of_threads_s / count - other.of_threads_s / others};
}

bool waits_for_threads(const Excess& excess) {
  return excess.slept_s > 0 && excess.of_threads_s >= kOfThreads * excess.slept_s;
}

}  // namespace

std::string describe_sleep(const Summary& summary, const Load& load, const RankLoad& rank) {
  if (!(rank.slept_s > 0) || rank.slept_s < kLeastTold * rank.outside_s) return "";
  if (waits_for_threads(excess_of(summary, load, {rank.rank->rank})))
    return fmt::format(" In {} of that it waits, and other threads of the rank compute.", human_duration(rank.slept_s));
  return fmt::format(
      " In {} of that it does not run: it sleeps, is stopped, or waits for something that is not recorded.",
      human_duration(rank.slept_s));
}

bool is_late_by_sleep(const Summary& summary, const Load& load, const std::vector<std::int32_t>& ranks) {
  const Excess excess = excess_of(summary, load, ranks);
  return excess.outside_s > 0 && excess.slept_s > 0 && excess.slept_s >= kMostOfExcess * excess.outside_s &&
         !waits_for_threads(excess);
}

std::string sleep_remedy(const std::vector<std::int32_t>& ranks) {
  return fmt::format("Find out what stops {}, or what {} for: a timer, another process, a page of memory, a device.",
                     list_of_ranks(ranks), ranks.size() == 1 ? "it waits" : "they wait");
}

}  // namespace meridian
