// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/containers/index_map.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/batch_events.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Finds the places of a trace whose calls are so many and short that sums will do: MPI procedures that no other call depends on,
/// called often, nine in ten times for less than a microsecond.
class ShortCalls {
 public:
  /// limit  calls from one place before they may become sums; tick_hz: ticks a second, 0: not known yet, none do
  void set_limit(std::uint64_t limit, std::uint64_t tick_hz) noexcept {
    limit_ = limit;
    ticks_ = tick_hz / kPerSecond;
  }
  bool is_on() const noexcept { return limit_ != 0 && ticks_ != 0; }
  /// Counts the event. Whether it is one for the sums.
  bool take(const BatchEvent& event);
  /// Calls that take() wanted as sums, as "MPI_Comm_rank 2000 MPI_Wtime 5": by name.
  std::string describe() const;

  void save(StateWriter& archive) const { archive(places_); }
  /// False: the state is damaged.
  bool restore(StateReader& archive);

 private:
  static constexpr std::uint64_t kPerSecond = 1'000'000;  // a microsecond is short
  static constexpr std::size_t kMostPlaces = 16384;
  struct Key {
    std::uint64_t site = 0;
    std::uint32_t call = 0;
    friend bool operator==(const Key&, const Key&) = default;
    std::size_t hash() const noexcept { return static_cast<std::size_t>(mix(site ^ std::uint64_t{call} << 48)); }
  };
  struct Place {
    std::uint64_t site = 0;
    std::uint64_t call = 0;
    std::uint64_t calls = 0;
    std::uint64_t short_calls = 0;
    std::uint64_t summed = 0;  // calls
  };

  std::uint64_t limit_ = 0, ticks_ = 0;
  std::vector<Place> places_;
  IndexMap<Key> by_key_;
};

}  // namespace meridian
