// SPDX-License-Identifier: Apache-2.0
// Which ranks wait for which, in one place.
#include "summary/problems/wait_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>

namespace meridian {
namespace {

constexpr double kNearlyAllWaits = 0.8;   ///< of the waits in a place, for which several ranks are named as the cause
constexpr std::size_t kMostInTable = 64;  ///< in the table
constexpr std::size_t kMostCausers = 8;   ///< that are named

double sum_of(const std::map<std::int32_t, double>& times) {
  double sum_s = 0;
  for (const auto& [rank, time_s] : times) sum_s += time_s;
  return sum_s;
}

bool is_in(const std::vector<std::int32_t>& ranks, std::int32_t rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

double waits_for(const std::vector<std::int32_t>& causers, const std::map<std::int32_t, double>& times) {
  double sum_s = 0;
  for (const auto& [rank, time_s] : times)
    if (is_in(causers, rank)) sum_s += time_s;
  return sum_s;
}

}  // namespace

void WaitGroup::add(const WaitSummary& row) {
  total_s += row.total_s;
  waiters.insert(row.rank);
  causers[row.causer] += row.total_s;
  by_waiter[row.rank][row.causer] += row.total_s;
  if (longest == nullptr || row.total_s > longest->total_s) longest = &row;
}

std::int32_t main_causer(const WaitGroup& group) {
  const auto most = std::ranges::max_element(group.causers, {}, [](const auto& causer) { return causer.second; });
  return most->second >= kMostly * group.total_s ? most->first : -1;
}

std::vector<std::int32_t> joint_causers(const WaitGroup& group) {
  std::vector<std::pair<double, std::int32_t>> causers;
  for (const auto& [rank, time_s] : group.causers)
    if (rank >= 0) causers.emplace_back(time_s, rank);
  std::ranges::sort(causers, std::greater{});
  std::vector<std::int32_t> joint;
  for (double sum_s = 0; const auto& [time_s, rank] : causers) {
    if (sum_s >= kNearlyAllWaits * group.total_s || joint.size() > kMostCausers) break;
    joint.push_back(rank);
    sum_s += time_s;
  }
  std::ranges::sort(joint);
  const bool are_named = joint.size() >= 2 && joint.size() <= kMostCausers;
  return are_named && waits_for(joint, group) >= kNearlyAllWaits * group.total_s ? joint : std::vector<std::int32_t>{};
}

std::set<std::int32_t> waiters_for(const std::vector<std::int32_t>& causers, const WaitGroup& group) {
  std::set<std::int32_t> ranks;
  for (const auto& [waiter, times] : group.by_waiter)
    if (const double own_s = waits_for(causers, times);
        !is_in(causers, waiter) && own_s > 0 && own_s >= kMostly * sum_of(times))
      ranks.insert(waiter);
  return ranks.empty() ? group.waiters : ranks;
}

double waits_for(const std::vector<std::int32_t>& causers, const WaitGroup& group) {
  double sum_s = 0;
  for (const auto& [waiter, times] : group.by_waiter)
    if (!is_in(causers, waiter)) sum_s += waits_for(causers, times);
  return sum_s;
}

std::string list_of_ranks(const std::vector<std::int32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += fmt::format("{} {}", i == 0 ? "" : i + 1 == ranks.size() ? " and" : ",", ranks[i]);
  return text;
}

std::vector<std::int32_t> causers_of(const ProblemSummary& problem) {
  if (problem.causer >= 0) return {problem.causer};
  std::vector<std::int32_t> ranks;
  const char* at = problem.causers.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    ranks.push_back(static_cast<std::int32_t>(std::strtol(at, &end, 10)));
    at = *end == ',' ? end + 1 : end;
  }
  return ranks;
}

void set_causers(ProblemSummary& problem, const std::vector<std::int32_t>& ranks) {
  problem.causer = ranks.size() == 1 ? ranks.front() : -1;
  const bool are_listed = ranks.size() > 1 && ranks.size() <= kMostInTable;
  problem.causers = are_listed ? fmt::format("{}", fmt::join(ranks, ",")) : "";
}

}  // namespace meridian
