// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/walk/measured_spans.hpp"
#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/tiles.hpp"
#include "summary/summary.hpp"
#include "trace/model/units.hpp"

namespace meridian {

/// Adds up the time in which threads were ready to run and had no processor, by what they did, and in which they slept meanwhile
/// although nothing of that is recorded.
class ReadyCounts {
 public:
  /// `ready` outlives this.
  ReadyCounts(const ReadyTimes& ready, ReadyTimes slept, std::size_t locations)
      : ready_{ready}, slept_{std::move(slept)}, times_(ready.is_known() || slept_.is_known() ? locations : 0) {}

  /// Counts the tile's part in `span` (null: it has none). Returns the time of the tile in which the thread was in the state `ready`
  /// instead of the tile's: none if it waited, because it lost nothing then.
  std::int64_t count(const Tile& tile, const MeasuredSpan* span) {
    if (times_.empty() || tile.state == LocationState::unknown) return 0;
    const bool waits = tile.state == LocationState::mpi_wait || tile.state == LocationState::sync_wait ||
                       tile.state == LocationState::sleep;
    const std::size_t kind = waits ? kWaiting : tile.state == LocationState::compute ? kComputing : kInMpi;
    if (span != nullptr) {
      const std::int64_t begin_ns = std::max(tile.begin_ns, span->begin_ns);
      const std::int64_t end_ns = std::min(tile.end_ns, span->end_ns);
      times_[tile.location][kind] += ready_.between(tile.location, begin_ns, end_ns);
      if (kind == kComputing) times_[tile.location][kSlept] += slept_.between(tile.location, begin_ns, end_ns);
    }
    return waits ? 0 : ready_.between(tile.location, tile.begin_ns, tile.end_ns);
  }

  void fill(const MergedDefinitions& definitions, Summary& summary) const {
    summary.ready_times.clear();
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (times_[i] != Times{})
        summary.ready_times.push_back({definitions.locations[i].rank, definitions.locations[i].thread,
                                       seconds(times_[i][kComputing]), seconds(times_[i][kInMpi]),
                                       seconds(times_[i][kWaiting]), seconds(times_[i][kSlept])});
  }

 private:
  enum Kind : std::uint8_t { kComputing, kInMpi, kWaiting, kSlept };
  using Times = std::array<std::int64_t, 4>;

  const ReadyTimes& ready_;
  ReadyTimes slept_;
  std::vector<Times> times_;  // [location]
};

}  // namespace meridian
