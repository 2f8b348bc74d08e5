// SPDX-License-Identifier: Apache-2.0
#include "report/data/timeline_scan.hpp"

#include <algorithm>
#include <utility>

#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kEventsPerReport = 65536;

}  // namespace

TimelineScan::TimelineScan(const MergedTrace& trace, std::vector<LocationLife> lives, std::vector<std::uint32_t> row_of,
                           RowLevels& levels, std::size_t slots, std::size_t most_regions, std::vector<bool> is_counted)
    : trace_{trace},
      places_{trace.definitions()},
      row_of_{std::move(row_of)},
      is_counted_{std::move(is_counted)},
      levels_{levels},
      slots_{1, slots, levels.begin_of(0), levels.begin_of(levels.bins())},
      tiler_{trace.definitions(), lives, [this](const Tile& tile) { add(tile); }},
      waits_of_(lives.size()),
      longest_calls_(trace.definitions().calls.size()),
      first_rows_bin_ns_{std::max<std::int64_t>(
          1, levels.width_ns() * static_cast<std::int64_t>(levels.bins()) / static_cast<std::int64_t>(kCounterBins))},
      counted_(lives.size()),
      open_(lives.size()),
      most_regions_{most_regions} {}

Status TimelineScan::run(const std::function<void(std::uint64_t)>& after_events) {
  MERIDIAN_TRY(ready_, ReadyTimes::read(trace_));
  MERIDIAN_TRY(TraceWalk walk, TraceWalk::open(trace_, kNoLinks));
  MERIDIAN_TRY_DO(walk.run([&](std::span<const WalkedEvent> events) -> Status {
    for (const WalkedEvent& walked : events) {
      look_at(walked);
      if (walked.event.row % kEventsPerReport == 0) after_events(walked.event.row);
    }
    return watch_events_ ? watch_events_(events) : Status{};
  }));
  tiler_.finish();
  return {};
}

void TimelineScan::add(const Tile& tile) {
  const std::uint32_t row = row_of_[tile.location];
  if (row == kNoRow) return;
  StateClass state = class_of(tile.state);
  const std::vector<WaitSpan>& waits = waits_of_[tile.location];
  const auto wait = std::ranges::find_if(
      waits, [&](const WaitSpan& each) { return each.begin_ns <= tile.begin_ns && tile.begin_ns < each.end_ns; });
  if (tile.state == LocationState::mpi_wait && wait != waits.end()) state = class_of(wait->kind);
  if (watch_tile_) watch_tile_(row, tile, wait != waits.end() ? &*wait : nullptr);
  if (!needs_processor(tile.state)) return levels_.add_time(row, state, tile.begin_ns, tile.end_ns);
  ready_.cut(tile.location, tile.begin_ns, tile.end_ns, [&](std::int64_t begin_ns, std::int64_t end_ns, bool is_ready) {
    levels_.add_time(row, is_ready ? StateClass::ready : state, begin_ns, end_ns);
  });
}

void TimelineScan::look_at(const WalkedEvent& walked) {
  const MergedEvent& event = walked.event;
  while (first_rows_.size() < kCounterBins &&
         event.enter_ns >= levels_.begin_of(0) + static_cast<std::int64_t>(first_rows_.size()) * first_rows_bin_ns_)
    first_rows_.push_back(event.row);
  if ((event.flags & kFlagCounters) != 0 && counted_[event.location].count++ == 0)
    counted_[event.location].first = event.row;
  tiler_.add(event, walked.waits);  // tiles up to this event: of the one before
  waits_of_[event.location].assign(walked.waits.begin(), walked.waits.end());
  if (!tiler_.changes().empty()) change_regions(event);
  const std::uint32_t row = row_of_[event.location];
  if (row == kNoRow) return;
  if (is_counted_.empty() || is_counted_[event.location]) slots_.add_call(0, event.enter_ns, 0, 1);
  if (!tiler_.traits(event.call).is_user) {
    levels_.add_call(row, event.enter_ns, event.duration_ns, event.calls);
    compare_call(event);
  }
  for (const WaitSpan& wait : walked.waits) {
    const std::uint32_t place = places_.of_site(event.site);
    WaitInstance& longest = longest_[{wait.kind, event.call, place}];
    if (wait.end_ns - wait.begin_ns > longest.ns())
      longest = {wait.kind, event.call, place, event.location, wait.causer, wait.begin_ns, wait.end_ns};
  }
}

void TimelineScan::compare_call(const MergedEvent& event) {
  if (event.call >= longest_calls_.size()) return;
  std::vector<CallInstance>& of_call = longest_calls_[event.call];
  const std::uint32_t place = places_.of_site(event.site);
  if (place >= of_call.size()) of_call.resize(std::size_t{place} + 1);
  CallInstance& longest = of_call[place];
  if (event.duration_ns > longest.end_ns - longest.begin_ns)
    longest = {event.call, place, event.location, event.enter_ns, event.leave_ns()};
}

std::vector<CallInstance> TimelineScan::longest_calls() const {
  std::vector<CallInstance> list;
  for (const std::vector<CallInstance>& of_call : longest_calls_)
    for (const CallInstance& each : of_call)
      if (each.end_ns > each.begin_ns) list.push_back(each);
  return list;
}

void TimelineScan::change_regions(const MergedEvent& event) {
  OpenRegions<std::int64_t>& open = open_[event.location];
  if (event.flags & kFlagBegins) return open.begin(event.call, event.enter_ns);
  open.end(event.call, [&](const auto& region) {
    keep({row_of_[event.location], region.call, static_cast<std::uint32_t>(open.size()), region.data, event.enter_ns});
  });
}

void TimelineScan::keep(const RegionInstance& region) {
  const auto length = [](const RegionInstance& each) { return each.end_ns - each.begin_ns; };
  if (region.row == kNoRow || length(region) < least_region_ns_) return;
  regions_.push_back(region);
  if (regions_.size() < 2 * most_regions_) return;
  const auto middle = regions_.begin() + static_cast<std::ptrdiff_t>(most_regions_);
  std::ranges::nth_element(regions_, middle, std::ranges::greater{}, length);
  regions_.erase(middle, regions_.end());
  least_region_ns_ = std::max<std::int64_t>(1, length(*std::ranges::min_element(regions_, {}, length)));
}

std::vector<std::uint64_t> TimelineScan::first_rows() const {
  std::vector<std::uint64_t> rows = first_rows_;
  rows.resize(kCounterBins, trace_.events());
  return rows;
}

std::vector<WaitInstance> TimelineScan::waits() const {
  std::vector<WaitInstance> list;
  list.reserve(longest_.size());
  for (const auto& [key, instance] : longest_) list.push_back(instance);
  std::ranges::stable_sort(list, std::ranges::greater{}, [](const WaitInstance& wait) { return wait.ns(); });
  return list;
}

std::vector<RegionInstance> TimelineScan::regions() {
  if (regions_.size() > most_regions_) {
    const auto length = [](const RegionInstance& each) { return each.end_ns - each.begin_ns; };
    const auto middle = regions_.begin() + static_cast<std::ptrdiff_t>(most_regions_);
    std::ranges::nth_element(regions_, middle, std::ranges::greater{}, length);
    regions_.erase(middle, regions_.end());
    least_region_ns_ = 1;
  }
  std::ranges::sort(regions_, {}, [](const RegionInstance& each) {
    return std::tuple{each.row, each.begin_ns, each.depth, each.call, each.end_ns};
  });
  return regions_;
}

}  // namespace meridian
