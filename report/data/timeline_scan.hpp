// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/walk/call_places.hpp"
#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/tiles.hpp"
#include "analysis/walk/trace_walk.hpp"
#include "merged/model/open_regions.hpp"
#include "report/data/levels/row_levels.hpp"
#include "report/data/page_counters.hpp"
#include "report/data/page_timeline.hpp"

namespace meridian {

inline constexpr std::uint32_t kNoRow = UINT32_MAX;

/// The longest call of a function at a place.
struct CallInstance {
  std::uint32_t call = 0;
  std::uint32_t place = 0;
  std::uint32_t location = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// The longest wait of its kind in a function at a place.
struct WaitInstance {
  WaitKind kind{};
  std::uint32_t call = 0;
  std::uint32_t place = 0;
  std::uint32_t location = 0;
  std::uint32_t causer = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t ns() const noexcept { return end_ns - begin_ns; }
};

/// A user region from its begin to its end.
struct RegionInstance {
  std::uint32_t row = 0;
  std::uint32_t call = 0;
  std::uint32_t depth = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// One walk over a trace: what each row did when, how many events there are when, the longest waits and regions.
class TimelineScan {
 public:
  /// row_of  [location]: its row, or kNoRow
  /// is_counted  [location]: whether its events count in slots(); empty: all do
  TimelineScan(const MergedTrace& trace, std::vector<LocationLife> lives, std::vector<std::uint32_t> row_of,
               RowLevels& levels, std::size_t slots, std::size_t most_regions, std::vector<bool> is_counted = {});

  /// Others that look at the same walk. tile: of a row, with the wait that it is part of, or nullptr; a thread's in order.
  void watch(std::function<void(std::uint32_t row, const Tile& tile, const WaitSpan* wait)> tile,
             std::function<Status(std::span<const WalkedEvent>)> events) {
    watch_tile_ = std::move(tile);
    watch_events_ = std::move(events);
  }
  /// after_events  is called with the row of an event now and then
  Status run(const std::function<void(std::uint64_t)>& after_events);

  const RowLevels& slots() const noexcept { return slots_; }
  /// [bin of kCounterBins]: the first event that begins in it or later.
  std::vector<std::uint64_t> first_rows() const;
  std::int64_t first_rows_bin_ns() const noexcept { return first_rows_bin_ns_; }
  /// [location]
  const std::vector<CountedCalls>& counted_calls() const noexcept { return counted_; }
  /// Longest first.
  std::vector<WaitInstance> waits() const;
  /// By function and place.
  std::vector<CallInstance> longest_calls() const;
  /// By row and begin.
  std::vector<RegionInstance> regions();
  bool has_lost_regions() const noexcept { return least_region_ns_ > 0; }
  const CallPlaces& places() const noexcept { return places_; }

 private:
  void add(const Tile& tile);
  void look_at(const WalkedEvent& walked);
  void compare_call(const MergedEvent& event);
  void change_regions(const MergedEvent& event);
  void keep(const RegionInstance& region);

  const MergedTrace& trace_;
  CallPlaces places_;
  std::vector<std::uint32_t> row_of_;
  std::vector<bool> is_counted_;
  RowLevels& levels_;
  RowLevels slots_;  // one row: events by time
  std::function<void(std::uint32_t, const Tile&, const WaitSpan*)> watch_tile_;
  std::function<Status(std::span<const WalkedEvent>)> watch_events_;
  ReadyTimes ready_;
  Tiler tiler_;
  std::vector<std::vector<WaitSpan>> waits_of_;  // of the last event of each thread
  std::map<std::tuple<WaitKind, std::uint32_t, std::uint32_t>, WaitInstance> longest_;
  std::vector<std::vector<CallInstance>> longest_calls_;  // [call][place], as far as there are calls
  std::int64_t first_rows_bin_ns_;
  std::vector<std::uint64_t> first_rows_;  // of the bins that have been reached
  std::vector<CountedCalls> counted_;
  std::vector<OpenRegions<std::int64_t>> open_;
  std::vector<RegionInstance> regions_;
  std::size_t most_regions_;
  std::int64_t least_region_ns_ = 0;
};

}  // namespace meridian
