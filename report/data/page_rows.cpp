// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_rows.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace meridian {
namespace {

double distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i] - b[i]) * static_cast<double>(a[i] - b[i]);
  return sum;
}

/// [thread]: number of its group, below `most`.
std::vector<std::size_t> group_numbers(std::span<const ThreadProfile> threads, std::size_t most) {
  std::vector<std::size_t> group(threads.size());
  std::vector<double> away(threads.size(), std::numeric_limits<double>::infinity());
  std::size_t next = 0;
  for (std::size_t g = 0; g < most; ++g) {
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const double own = distance(threads[i].shares, threads[next].shares);
      if (own < away[i]) {
        away[i] = own;
        group[i] = g;
      }
    }
    next = static_cast<std::size_t>(std::ranges::max_element(away) - away.begin());
    if (away[next] <= 0) break;
  }
  return group;
}

PageRow row_of(std::span<const ThreadProfile> threads, const std::vector<std::size_t>& members) {
  std::vector<float> mean(threads[members.front()].shares.size());
  for (const std::size_t i : members)
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += threads[i].shares[k] / static_cast<float>(members.size());
  PageRow row;
  double nearest = std::numeric_limits<double>::infinity(), farthest = -1;
  for (const std::size_t i : members) {
    row.locations.push_back(threads[i].location);
    const double own = distance(threads[i].shares, mean);
    if (own < nearest) {
      nearest = own;
      row.typical = threads[i].location;
    }
    if (own > farthest) {
      farthest = own;
      row.outlier = threads[i].location;
    }
  }
  return row;
}

}  // namespace

std::vector<PageRow> page_rows(const MergedDefinitions& definitions, std::span<const ThreadProfile> threads,
                               std::size_t most, std::span<const std::uint32_t> alone) {
  std::vector<ThreadProfile> sorted(threads.begin(), threads.end());
  const auto order = [&](std::uint32_t of) {
    const MergedLocation& location = definitions.locations[of];
    return std::tuple{location.rank, location.thread, of};
  };
  std::ranges::sort(sorted, {}, [&](const ThreadProfile& thread) { return order(thread.location); });
  std::vector<PageRow> rows;
  const auto add_alone = [&](std::uint32_t location) { rows.push_back({location, {location}, location}); };
  if (sorted.size() <= most) {
    for (const ThreadProfile& thread : sorted) add_alone(thread.location);
    return rows;
  }
  std::erase_if(sorted, [&](const ThreadProfile& thread) {
    const bool is_alone = std::ranges::find(alone, thread.location) != alone.end();
    if (is_alone) add_alone(thread.location);
    return is_alone;
  });
  const std::size_t groups = most - std::min(most - 1, rows.size());
  const std::vector<std::size_t> group = group_numbers(sorted, groups);
  std::vector<std::vector<std::size_t>> members(groups);
  for (std::size_t i = 0; i < sorted.size(); ++i) members[group[i]].push_back(i);
  std::erase_if(members, [](const auto& of_group) { return of_group.empty(); });
  for (const std::vector<std::size_t>& of_group : members) rows.push_back(row_of(sorted, of_group));
  std::ranges::sort(rows, {}, [&](const PageRow& row) { return order(row.locations.front()); });
  return rows;
}

}  // namespace meridian
