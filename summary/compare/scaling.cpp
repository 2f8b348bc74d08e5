// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace meridian {
namespace {

constexpr double kRounding = 1e-6;  // of means over repeats

/// Means over the repeats of a group.
struct GroupMeans {
  double ranks = 0, threads = 0, time_s = 0, parallel = 0, compute_s = 0, instructions = 0, ipc = 0, frequency_hz = 0;
};

GroupMeans means_of(const RunGroup& group) {
  GroupMeans means;
  const double runs = static_cast<double>(group.runs.size());
  for (const RunProfile& run : group.runs) {
    means.ranks += run.ranks / runs;
    means.threads += run.pop.threads / runs;
    means.time_s += run.pop.time_s / runs;
    means.parallel += run.pop.parallel / runs;
    means.compute_s += run.pop.compute_s / runs;
    means.instructions += run.pop.instructions / runs;
    means.ipc += run.pop.ipc / runs;
    means.frequency_hz += run.pop.frequency_hz / runs;
  }
  return means;
}

}  // namespace

std::vector<ScalingRow> scaling_of(std::span<const RunGroup> groups, bool is_weak) {
  std::vector<ScalingRow> rows;
  if (groups.empty()) return rows;
  const GroupMeans first = means_of(groups.front());
  for (const RunGroup& group : groups) {
    const GroupMeans own = means_of(group);
    const double growth = own.threads / first.threads;
    const double work = is_weak ? growth : 1;  // of this group, in that of the first one
    ScalingRow& row = rows.emplace_back();
    row.label = group.label;
    row.ranks = own.ranks;
    row.threads = own.threads;
    row.time_s = own.time_s;
    row.speedup = work * first.time_s / own.time_s;
    row.efficiency = row.speedup / growth;
    row.parallel = own.parallel;
    row.computation = work * first.compute_s / own.compute_s;
    row.instructions = work * first.instructions / own.instructions;
    row.ipc = own.ipc / first.ipc;
    row.frequency = own.frequency_hz / first.frequency_hz;
    row.global = row.parallel * row.computation;
  }
  return rows;
}

bool have_several_scales(std::span<const RunGroup> groups) {
  if (groups.empty()) return false;
  const GroupMeans first = means_of(groups.front());
  return std::ranges::any_of(groups, [&](const RunGroup& group) {
    const GroupMeans own = means_of(group);
    return std::fabs(own.ranks - first.ranks) > kRounding || std::fabs(own.threads - first.threads) > kRounding;
  });
}

}  // namespace meridian
