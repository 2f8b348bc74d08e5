// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/walk/measured_spans.hpp"
#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/tiles.hpp"
#include "summary/summary.hpp"
#include "trace/model/units.hpp"

namespace meridian {

/// Adds up the time in which threads were ready to run and had no processor, by what they did.
class ReadyCounts {
 public:
  /// `ready` outlives this.
  ReadyCounts(const ReadyTimes& ready, std::size_t locations)
      : ready_{ready}, times_(ready.is_known() ? locations : 0) {}

  /// Counts the tile's part in `span` (null: it has none). Returns the time of the tile in which the thread was in the state `ready`
  /// instead of the tile's: none if it waited, because it lost nothing then.
  std::int64_t count(const Tile& tile, const MeasuredSpan* span) {
    if (times_.empty() || tile.state == LocationState::unknown) return 0;
    const bool waits = tile.state == LocationState::mpi_wait || tile.state == LocationState::sync_wait ||
                       tile.state == LocationState::sleep;
    const std::size_t kind = waits ? kWaiting : tile.state == LocationState::compute ? kComputing : kInMpi;
    if (span != nullptr)
      times_[tile.location][kind] +=
          ready_.between(tile.location, std::max(tile.begin_ns, span->begin_ns), std::min(tile.end_ns, span->end_ns));
    return waits ? 0 : ready_.between(tile.location, tile.begin_ns, tile.end_ns);
  }

  void fill(const MergedDefinitions& definitions, Summary& summary) const {
    summary.ready_times.clear();
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (times_[i] != Times{})
        summary.ready_times.push_back({definitions.locations[i].rank, definitions.locations[i].thread,
                                       seconds(times_[i][kComputing]), seconds(times_[i][kInMpi]),
                                       seconds(times_[i][kWaiting])});
  }

 private:
  enum Kind : std::uint8_t { kComputing, kInMpi, kWaiting };
  using Times = std::array<std::int64_t, 3>;

  const ReadyTimes& ready_;
  std::vector<Times> times_;  // [location]
};

}  // namespace meridian
