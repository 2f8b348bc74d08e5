// SPDX-License-Identifier: Apache-2.0
// Threads of a rank that wait for a lock.
#include "summary/problems/problem_locks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "summary/problems/problem_waits.hpp"
#include "summary/problems/problems.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

bool is_contention(const LockSummary& lock) {
  return lock.kind == "mutex" || lock.kind == "rwlock" || lock.kind == "spin" || lock.kind == "omp";
}

/// How the names of the functions begin that take locks of this kind.
std::string functions_of(const std::string& kind) { return kind == "omp" ? "omp_" : "pthread_" + kind; }

/// Where the waits for locks of this kind are longest.
const SiteSummary* lock_site(const Summary& summary, const std::string& kind) {
  const SiteSummary* longest = nullptr;
  for (const SiteSummary& site : summary.sites)
    if (site.function.starts_with(functions_of(kind)) && !site.function.ends_with("barrier") &&
        (longest == nullptr || site.total_s > longest->total_s))
      longest = &site;
  return longest;
}

/// The longest waits of this rank for locks of this kind, with one place that takes them and one that has them.
const WaitSummary* lock_wait(const Summary& summary, std::int32_t rank, const std::string& kind) {
  const WaitSummary* longest = nullptr;
  for (const WaitSummary& row : summary.waits)
    if (row.rank == rank && row.pattern == "wait for lock" && row.function.starts_with(functions_of(kind)) &&
        (longest == nullptr || row.total_s > longest->total_s))
      longest = &row;
  return longest;
}

/// Its symbol, or its address.
std::string lock_name(const Summary& summary, const LockSummary& lock) {
  for (const LockNameSummary& name : summary.lock_names)
    if (name.rank == lock.rank && name.object == lock.object) return name.name;
  return fmt::format("{:#x}", lock.object);
}

}  // namespace

const LockSummary* worst_lock(const Summary& summary, std::int32_t rank) {
  const LockSummary* worst = nullptr;
  for (const LockSummary& lock : summary.locks)
    if (lock.rank == rank && is_contention(lock) && lock.wait_s > 0 &&
        (worst == nullptr || lock.wait_s > worst->wait_s))
      worst = &lock;
  return worst;
}

ProblemSummary describe_lock(const Summary& summary, const LockSummary& lock, const RankSummary& rank,
                             std::uint64_t threads, double victims_s) {
  ProblemSummary problem;
  problem.problem = problem_name(ProblemKind::lock);
  problem.cost_s = lock.wait_s / static_cast<double>(threads);
  problem.causer = rank.rank;
  const SiteSummary* const site = lock_site(summary, lock.kind);
  problem.function = site == nullptr ? functions_of(lock.kind) + "_lock" : site->function;
  if (site != nullptr) problem.place = place_text(*site);
  std::string held;
  if (const WaitSummary* const wait = lock_wait(summary, rank.rank, lock.kind); wait != nullptr) {
    problem.function = wait->function;
    problem.place = wait->place;
    if (wait->causer_function.starts_with(functions_of(lock.kind))) held = wait->causer_place;
  }
  problem.text = fmt::format("Threads of rank {} wait {} for the {} {} in {}{}: {} {}, longest {}.", rank.rank,
                             human_duration(lock.wait_s), lock.kind, lock_name(summary, lock), problem.function,
                             in_brackets(problem.place), human_count(lock.contended),
                             lock.contended == 1 ? "wait" : "waits", human_duration(lock.longest_s));
  if (lock.holder >= 0) problem.text += fmt::format(" Mostly thread {} holds it{}.", lock.holder, in_brackets(held));
  if (victims_s > 0) {
    problem.cost_s += victims_s;
    problem.text += fmt::format(" Therefore other ranks wait {} for rank {}.", human_duration(victims_s), rank.rank);
  }
  if (lock.holds > 0)
    problem.text += fmt::format(" Threads have it {} times, in all {}, longest {}.", human_count(lock.holds),
                                human_duration(lock.hold_s), human_duration(lock.longest_hold_s));
  problem.remedy = "Hold the lock for less work, or have several locks, each for a part of the data.";
  return problem;
}

}  // namespace meridian
