// SPDX-License-Identifier: Apache-2.0
#include "edit/later_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace meridian {

Result<std::optional<std::int64_t>> find_common_begin(const StoredTrace& trace) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  struct Times {
    std::int64_t begin = kNever, first_end = kNever, last_end = std::numeric_limits<std::int64_t>::min();
  };
  const MergedDefinitions& definitions = trace.definitions();
  std::vector<std::size_t> rank_of;  // [location]
  for (const MergedLocation& location : definitions.locations)
    rank_of.push_back(static_cast<std::size_t>(std::ranges::find(definitions.ranks, location.rank, &MergedRank::rank) -
                                               definitions.ranks.begin()));
  std::vector<Times> ranks(definitions.ranks.size() + 1);  // the last one is of locations without a rank
  MERIDIAN_TRY_DO(trace.read_events([&](const EditedEvent& event) {
    Times& times = ranks[rank_of[event.location]];
    times.begin = std::min(times.begin, event.enter_ns);
    times.first_end = std::min(times.first_end, event.leave_ns());
    times.last_end = std::max(times.last_end, event.leave_ns());
    return Status{};
  }));
  ranks.pop_back();
  std::erase_if(ranks, [](const Times& times) { return times.begin == kNever; });
  if (ranks.empty()) return std::optional<std::int64_t>{};
  const std::int64_t from = std::ranges::max(ranks, {}, &Times::begin).begin;
  const bool all_go_on = std::ranges::all_of(ranks, [&](const Times& times) { return times.last_end > from; });
  const bool one_ends = std::ranges::any_of(ranks, [&](const Times& times) { return times.first_end <= from; });
  return all_go_on && one_ends ? std::optional{from} : std::nullopt;
}

Status LaterCalls::run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) {
  std::uint64_t next = 0;
  return trace.read_events([&](const EditedEvent& event) -> Status {
    if (event.leave_ns() <= from_ns_) return sinks.drop(event);
    map.set(event.row, next++);
    MERIDIAN_TRY_DO(sinks.keep(event));
    return sinks.write(event);
  });
}

}  // namespace meridian
