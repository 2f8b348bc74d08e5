// SPDX-License-Identifier: Apache-2.0
#include "report/data/timeline_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "report/data/timeline_scan.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostProfileBins = 32;
constexpr std::size_t kLeastProfileBins = 4;
constexpr std::size_t kProfileCells = std::size_t{1} << 19;  // threads x bins
constexpr std::size_t kSharesOfRowsAlone = 5;                // at most every fifth row is a thread with a long wait

/// The threads of the longest waits and those that they waited for: `most` of them.
std::vector<std::uint32_t> threads_of_waits(const std::vector<WaitInstance>& waits, std::size_t most) {
  std::vector<std::uint32_t> threads;
  for (const WaitInstance& wait : waits)
    for (const std::uint32_t location : {wait.location, wait.causer})
      if (threads.size() < most && std::ranges::find(threads, location) == threads.end()) threads.push_back(location);
  return threads;
}

/// The rows of `profiles` (one for each of `threads`) that `members` name, in their order.
RowLevels rows_of_members(const RowLevels& profiles, const std::vector<ThreadProfile>& threads, std::size_t locations,
                          const std::vector<std::uint32_t>& members, std::int64_t begin_ns, std::int64_t end_ns) {
  std::vector<std::uint32_t> row_of(locations, kNoRow);
  for (std::uint32_t i = 0; i < threads.size(); ++i) row_of[threads[i].location] = i;
  RowLevels own{members.size(), profiles.bins(), begin_ns, end_ns};
  for (std::size_t i = 0; i < members.size(); ++i) own.copy_row(i, profiles, row_of[members[i]]);
  return own;
}

}  // namespace

std::size_t TimelineRows::threads() const {
  std::size_t sum = 0;
  for (const PageRow& row : rows) sum += row.locations.size();
  return sum;
}

std::vector<std::uint32_t> TimelineRows::members() const {
  std::vector<std::uint32_t> list;
  for (const PageRow& row : rows)
    if (row.locations.size() > 1) list.insert(list.end(), row.locations.begin(), row.locations.end());
  return list;
}

std::vector<std::uint32_t> TimelineRows::named_rows() const {
  std::vector<std::uint32_t> named(row_of.size(), kNoRow);
  for (std::uint32_t row = 0; row < rows.size(); ++row) named[rows[row].typical] = row;
  return named;
}

Result<TimelineRows> find_timeline_rows(const MergedTrace& trace, const Summary& summary, const PageBudget& budget,
                                        const PageProgress& progress) {
  const MergedDefinitions& names = trace.definitions();
  const std::size_t locations = names.locations.size();
  TimelineRows found;
  found.lives.resize(locations);
  if (trace.events() != 0) {
    MERIDIAN_TRY(found.lives, location_lives(trace, summary));
    MERIDIAN_TRY(const MergedEvent first, trace.event(0));
    found.begin_ns = first.enter_ns;
    found.end_ns = found.begin_ns + std::max<std::int64_t>(
                                        1, static_cast<std::int64_t>(std::llround(summary.run.time_s / kSecondsPerNs)));
  }
  // Calls that a program makes in callbacks have no rows: they belong to the calls around them.
  const bool has_kernel_threads =
      std::ranges::any_of(names.locations, [](const MergedLocation& each) { return each.kernel_tid != 0; });
  std::vector<ThreadProfile> threads;
  for (std::uint32_t i = 0; i < locations; ++i)
    if (names.locations[i].kernel_tid != 0 || !has_kernel_threads) threads.push_back({i, {}});

  std::vector<std::uint32_t> alone;
  std::optional<RowLevels> profiles;
  if (threads.size() > budget.rows) {
    const std::size_t bins =
        std::clamp(std::bit_floor(kProfileCells / threads.size()), kLeastProfileBins, kMostProfileBins);
    profiles.emplace(threads.size(), bins, found.begin_ns, found.end_ns);
    std::vector<std::uint32_t> row_of(locations, kNoRow);
    for (std::uint32_t i = 0; i < threads.size(); ++i) row_of[threads[i].location] = i;
    TimelineScan scan{trace, found.lives, std::move(row_of), *profiles, 1, 1};
    MERIDIAN_TRY_DO(scan.run([&](std::uint64_t row) {
      if (progress) progress(static_cast<double>(row) / static_cast<double>(trace.events()));
    }));
    alone = threads_of_waits(scan.waits(), budget.rows / kSharesOfRowsAlone);
    for (std::size_t i = 0; i < threads.size(); ++i)
      for (std::size_t s = 0; s < kStateClasses; ++s)
        for (std::size_t bin = 0; bin < bins; ++bin)
          threads[i].shares.push_back(profiles->time_ns(i, s, bin) / static_cast<float>(profiles->width_ns()));
  }
  found.rows = page_rows(names, threads, budget.rows, alone);
  found.row_of.assign(locations, kNoRow);
  for (std::uint32_t row = 0; row < found.rows.size(); ++row)
    for (const std::uint32_t location : found.rows[row].locations) found.row_of[location] = row;
  if (profiles)
    found.profiles = rows_of_members(*profiles, threads, locations, found.members(), found.begin_ns, found.end_ns);
  return found;
}

}  // namespace meridian
