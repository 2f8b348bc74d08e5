// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

inline constexpr double kMostly = 0.6;  ///< share of the waits in a place for which one rank is named as the cause

/// Waits of one kind in one place.
struct WaitGroup {
  double total_s = 0;
  std::set<std::int32_t> waiters;
  std::map<std::int32_t, double> causers;                            ///< rank -> time
  std::map<std::int32_t, std::map<std::int32_t, double>> by_waiter;  ///< rank that waits -> rank waited for -> time
  const WaitSummary* longest = nullptr;                              ///< row with the longest total

  void add(const WaitSummary& row);
};

/// The rank that others waited for most of the time; -1: no single rank.
std::int32_t main_causer(const WaitGroup& group);

/// The ranks, by number, that others wait for nearly all of the time and that hardly wait themselves; empty: fewer than two.
std::vector<std::int32_t> joint_causers(const WaitGroup& group);

/// The ranks that wait for these ones, and not mostly for others.
std::set<std::int32_t> waiters_for(const std::vector<std::int32_t>& causers, const WaitGroup& group);

/// The waits of the group in which another rank waits for one of these ranks.
double waits_for(const std::vector<std::int32_t>& causers, const WaitGroup& group);

/// "rank 2", "ranks 0, 1 and 3"
std::string list_of_ranks(const std::vector<std::int32_t>& ranks);

/// The ranks of a problem that are its cause.
std::vector<std::int32_t> causers_of(const ProblemSummary& problem);
/// Makes these ranks, in the order of their numbers, the cause.
void set_causers(ProblemSummary& problem, const std::vector<std::int32_t>& ranks);

}  // namespace meridian
