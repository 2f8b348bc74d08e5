// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples from messages, ping-pong exchanges and collectives, reduced to those that bound the clocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "merger/clocks/samples/clock_cells.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/containers/index_map.hpp"

namespace meridian {

/// A message between two clock domains, or one direction of a ping-pong exchange. Times are on each domain's first line
/// (global ns), so that a message may seem to be received before it was sent.
struct DomainMessage {
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// One domain's part in a collective in which every exit follows every enter.
struct CollectiveSide {
  std::uint32_t domain = 0;
  std::int64_t last_enter_ns = 0;
  std::int64_t first_exit_ns = 0;
};

/// Both directions between two domains: [0] from the lower number to the higher.
struct PairSamples {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  ClockCells sides[2];

  std::uint32_t from(int direction) const noexcept { return direction == 0 ? low : high; }
  std::uint32_t to(int direction) const noexcept { return direction == 0 ? high : low; }
};

/// Memory grows with the number of windows in which pairs of domains communicate, not with the number of messages. The
/// length of the windows doubles when a run needs more than `most_windows`, or all pairs together have too many cells.
class ClockSamples {
 public:
  /// window_ns, most_windows  0: chosen by the number of domains
  explicit ClockSamples(std::size_t domains, std::int64_t window_ns = 0, std::size_t most_windows = 0,
                        std::uint64_t most_cells = ClockTuning::kMostCells);

  void add(const DomainMessage& message);
  /// sides  one for each domain that took part, at least two
  void add_collective(std::span<const CollectiveSide> sides);
  /// Call after the last sample.
  void seal();

  std::size_t domains() const noexcept { return domains_; }
  std::int64_t window_ns() const noexcept { return window_ns_; }
  /// Begin of window 0. No sample has an earlier time, in whatever order samples come.
  std::int64_t origin_ns() const noexcept { return origin_ns_; }
  std::int64_t begin_ns() const noexcept { return begin_ns_; }  ///< earliest time seen; 0 if there is none
  std::int64_t end_ns() const noexcept { return end_ns_; }
  std::uint64_t messages() const noexcept { return messages_; }
  std::span<const PairSamples> pairs() const noexcept {
    return pairs_;
  }  ///< in order of first appearance; after seal() by domain
  /// The collectives that bound the clocks most tightly in each window.
  const std::vector<std::vector<CollectiveSide>>& collectives() const noexcept { return kept_; }

 private:
  struct Collective {
    std::int64_t wait_ns = 0;  // first exit anywhere minus last enter anywhere; shorter waits bound more tightly
    std::vector<CollectiveSide> sides;
  };
  /// A message whose pair has been prefetched but which has not been added yet.
  struct Waiting {
    ClockPoint point;
    std::uint32_t pair = 0;
    std::uint32_t side = 0;
  };
  void take(const Waiting& message);
  std::uint32_t window_of(std::int64_t time_ns);
  void double_windows();
  void bound_cells();
  std::uint32_t pair(std::uint32_t a, std::uint32_t b);
  void see(std::int64_t time_ns);
  void move_origin(std::int64_t time_ns);
  void renumber_windows(std::int64_t by);

  std::size_t domains_;
  std::size_t most_windows_;
  std::uint64_t most_cells_;
  std::int64_t window_ns_;
  std::int64_t origin_ns_ = 0;  // of window 0
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t next_look_;  // number of messages at which the cells are counted again
  std::uint32_t last_window_ = 0;
  std::uint32_t used_windows_ = 0;  // the last window that was used, plus one
  bool has_origin_ = false;
  bool has_moved_origin_ = false;
  // Prefetch: the pairs' data is scattered.
  std::array<Waiting, ClockTuning::kWaiting> waiting_;
  std::size_t arrived_ = 0, taken_ = 0;  // total numbers
  std::vector<PairSamples> pairs_;
  IndexMap<HandleKey> pair_of_;
  std::vector<std::vector<Collective>> collectives_;  // by window
  std::vector<std::vector<CollectiveSide>> kept_;
};

}  // namespace meridian
