// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/region_counters.hpp"

#include <algorithm>
#include <utility>

namespace meridian {

void RegionCounters::begin(std::size_t region) {
  stack_.push_back({region, now_, mpi_, std::vector<std::int64_t>(now_.size())});
}

void RegionCounters::end(std::size_t region) {
  if (std::ranges::none_of(stack_, [&](const Open& open) { return open.region == region; })) return;
  while (stack_.back().region != region) close();
  close();
}

void RegionCounters::end_thread() {
  while (!stack_.empty()) close();
}

void RegionCounters::close() {
  const Open open = std::move(stack_.back());
  stack_.pop_back();
  Sums& sums = sums_[open.region];
  for (auto* const values : {&sums.total, &sums.exclusive, &sums.mpi}) values->resize(now_.size());
  const bool is_inside_itself =
      std::ranges::any_of(stack_, [&](const Open& outer) { return outer.region == open.region; });
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const std::int64_t counted = now_[i] - open.before[i];
    sums.exclusive[i] += counted - open.inside[i];
    if (!stack_.empty()) stack_.back().inside[i] += counted;
    if (is_inside_itself) continue;
    sums.total[i] += counted;
    sums.mpi[i] += mpi_[i] - open.mpi_before[i];
  }
}

}  // namespace meridian
