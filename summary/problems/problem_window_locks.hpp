// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "summary/summary.hpp"

namespace meridian {

/// The locks of one target of a window that some ranks have while others wait.
struct LockedTarget {
  std::int32_t target = -1;  ///< in the group of the window; -1: all
  std::string window, comm;
  std::set<std::int32_t> holders;  ///< for which others waited
  double hold_s = 0;
  double longest_s = 0;
  std::uint64_t holds = 0;
  std::int32_t main_holder = -1;  ///< rank that has them for most of that time; -1: there is none such
};

/// The target with the most waits for one of these ranks. Without rows (summaries of earlier versions) it has no holders.
LockedTarget worst_locked_target(const Summary& summary, const std::set<std::int32_t>& causers);

/// "of the memory of rank 2 of MPI_COMM_WORLD in window halo"
std::string describe_target(const LockedTarget& locked);

/// " It is held 25 times, 20.1 ms on average, longest 21.0 ms." With several holders: " Ranks 0, 1, 2 hold it in turn: 60 times...";
/// empty without holders.
std::string describe_holds(const LockedTarget& locked);

}  // namespace meridian
