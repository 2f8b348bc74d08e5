#pragma once

// What messages, round trips and collectives say about the clocks of domains, kept small.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "merger/clocks/clock_cells.hpp"
#include "merger/containers/index_map.hpp"

namespace meridian {

/// A message between two clock domains, or half of a round trip. Times are those of each domain's first line (global
/// ns), so that a received time may lie before the sent one.
struct DomainMessage {
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// What one domain did in a collective in which every exit follows every enter.
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

/// Streams: memory grows with the windows in which pairs of domains talk, not with the number of messages. A run has at
/// most `most_windows`: their length doubles when it is longer, and also when all pairs together have too many.
class ClockSamples {
 public:
  static constexpr std::int64_t kWindowNs = 250'000'000;  ///< of many domains: twice as long

  static constexpr std::uint64_t kMostCells = 1 << 23;  ///< over all pairs; of some hundred bytes each

  /// window_ns, most_windows  0: by the number of domains.
  explicit ClockSamples(std::size_t domains, std::int64_t window_ns = 0, std::size_t most_windows = 0,
                        std::uint64_t most_cells = kMostCells);

  void add(const DomainMessage& message);
  /// sides  one for every domain that took part, two at least.
  void add_collective(std::span<const CollectiveSide> sides);
  /// After the last one.
  void seal();

  std::size_t domains() const noexcept { return domains_; }
  std::int64_t window_ns() const noexcept { return window_ns_; }
  std::int64_t origin_ns() const noexcept { return origin_ns_; }  ///< where window 0 begins
  std::int64_t begin_ns() const noexcept { return begin_ns_; }    ///< earliest time seen; 0 when there is none
  std::int64_t end_ns() const noexcept { return end_ns_; }
  std::uint64_t messages() const noexcept { return messages_; }
  std::span<const PairSamples> pairs() const noexcept { return pairs_; }  ///< in the order in which they were met
  /// Of each window, the collectives that bound the clocks most tightly.
  const std::vector<std::vector<CollectiveSide>>& collectives() const noexcept { return kept_; }

 private:
  struct Collective {
    std::int64_t wait_ns = 0;  // first exit anywhere minus last enter anywhere: small ones say more
    std::vector<CollectiveSide> sides;
  };
  /// A message on its way to its pair.
  struct Waiting {
    ClockPoint point;
    std::uint32_t pair = 0;
    std::uint32_t side = 0;
  };
  static constexpr std::size_t kWaiting = 16;  // a power of two
  void take(const Waiting& message);
  std::uint32_t window_of(std::int64_t time_ns);
  void double_windows();
  void bound_cells();
  std::uint32_t pair(std::uint32_t a, std::uint32_t b);
  void see(std::int64_t time_ns) noexcept;

  std::size_t domains_;
  std::size_t most_windows_;
  std::uint64_t most_cells_;
  std::int64_t window_ns_;
  std::int64_t origin_ns_ = 0;  // of window 0
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t next_look_;  // at how many messages the cells are counted
  std::uint32_t last_window_ = 0;
  bool has_origin_ = false;
  // What is known of thousands of pairs lies far apart: it is sent for before it is needed.
  std::array<Waiting, kWaiting> waiting_;
  std::size_t arrived_ = 0, taken_ = 0;  // of all that ever waited
  std::vector<PairSamples> pairs_;
  IndexMap<HandleKey> pair_of_;
  std::vector<std::vector<Collective>> collectives_;  // by window
  std::vector<std::vector<CollectiveSide>> kept_;
};

}  // namespace meridian
