// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/region_counters.hpp"

namespace meridian {

void RegionCounters::begin(std::size_t region) {
  open_.begin(static_cast<std::uint32_t>(region), {now_, mpi_, std::vector<std::int64_t>(now_.size())});
}

void RegionCounters::end(std::size_t region) {
  open_.end(static_cast<std::uint32_t>(region), [&](const auto& ended) { close(ended); });
}

void RegionCounters::end_thread() {
  open_.end_all([&](const auto& ended) { close(ended); });
}

void RegionCounters::close(const OpenRegions<Open>::Region& region) {
  const Open& open = region.data;
  Sums& sums = sums_[region.call];
  for (auto* const values : {&sums.total, &sums.exclusive, &sums.mpi}) values->resize(now_.size());
  const bool is_inside_itself = open_.has(region.call);
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const std::int64_t counted = now_[i] - open.before[i];
    sums.exclusive[i] += counted - open.inside[i];
    if (!open_.empty()) open_.innermost().data.inside[i] += counted;
    if (is_inside_itself) continue;
    sums.total[i] += counted;
    sums.mpi[i] += mpi_[i] - open.mpi_before[i];
  }
}

}  // namespace meridian
