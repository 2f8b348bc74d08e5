// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_sleeps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "summary/problems/wait_groups.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kLeastTold = 0.05;    ///< of a rank's time outside MPI
constexpr double kMostOfExcess = 0.6;  ///< of what ranks are longer outside MPI than the others

}  // namespace

std::string describe_sleep(const RankLoad& rank) {
  if (!(rank.slept_s > 0) || rank.slept_s < kLeastTold * rank.outside_s) return "";
  return fmt::format(
      " In {} of that it does not run: it sleeps, is stopped, or waits for something that is not recorded.",
      human_duration(rank.slept_s));
}

bool is_late_by_sleep(const Load& load, const std::vector<std::int32_t>& ranks) {
  double outside_s = 0, slept_s = 0, other_outside_s = 0, other_slept_s = 0, count = 0, others = 0;
  for (const RankLoad& rank : load.ranks) {
    const bool is_late = std::ranges::find(ranks, rank.rank->rank) != ranks.end();
    (is_late ? outside_s : other_outside_s) += rank.outside_s;
    (is_late ? slept_s : other_slept_s) += rank.slept_s;
    (is_late ? count : others) += 1;
  }
  if (count == 0 || others == 0 || !(slept_s > 0)) return false;
  const double longer_s = outside_s / count - other_outside_s / others;
  return slept_s / count - other_slept_s / others >= kMostOfExcess * longer_s && longer_s > 0;
}

std::string sleep_remedy(const std::vector<std::int32_t>& ranks) {
  return fmt::format("Find out what stops {}, or what {} for: a timer, another process, a page of memory, a device.",
                     list_of_ranks(ranks), ranks.size() == 1 ? "it waits" : "they wait");
}

}  // namespace meridian
