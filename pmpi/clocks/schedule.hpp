// SPDX-License-Identifier: Apache-2.0
#pragma once

// The pairs of clock domains that exchange messages, and their times. They follow from the numbers of the domains, so
// both sides of a pair know them without communication.

#include <bit>
#include <cstdint>

namespace meridian {

/// One domain's part in a round: a domain has at most one peer in each round, and a pair of domains has one round.
struct Meeting {
  int round = 0;
  int peer = -1;      ///< number of the other domain; -1: none in this round
  bool asks = false;  ///< this domain sends first
};

/// Up to `most_star` domains all meet the first, one after the other: one hop to it, hence the tightest bounds. More
/// domains meet along the dimensions of a hypercube, in as many rounds as their number has bits.
constexpr int meeting_rounds(int domains, int most_star) noexcept {
  if (domains < 2) return 0;
  if (domains <= most_star) return domains - 1;
  return static_cast<int>(std::bit_width(static_cast<unsigned>(domains - 1)));
}

/// The asking domain has the lower number, and knows domain 0's schedule from earlier rounds.
constexpr Meeting meeting_in(int round, int domain, int domains, int most_star) noexcept {
  if (domains <= most_star) {
    if (domain == 0) return {round, round + 1, true};
    return {round, domain == round + 1 ? 0 : -1, false};
  }
  const int peer = domain ^ (1 << round);
  return peer < domains ? Meeting{round, peer, domain < peer} : Meeting{round, -1, false};
}

/// Points in time, one period apart, that all domains know: as times since domain 0's first point, which its questions
/// carry.
struct EpochGrid {
  std::int64_t period_ns = 0;  ///< 0: no epochs
  std::int64_t origin_ns = 0;  ///< this host's CLOCK_MONOTONIC at point 0

  /// The first point after `now_ns` whose number is a multiple of `stride`: pairs that skip points meet nevertheless.
  constexpr std::int64_t next_after(std::int64_t now_ns, std::int64_t stride) const noexcept {
    const std::int64_t step = period_ns * stride;
    const std::int64_t passed = now_ns - origin_ns;
    const std::int64_t steps = passed >= 0 ? passed / step : -((step - 1 - passed) / step);
    return origin_ns + (steps + 1) * step;
  }
};

/// The next session of a pair and its patience. A session fails if the other side is not there in time, because it left
/// the collective earlier or later, or not at all. It is then tried again after the next collectives, with more
/// patience, and later at every second point, every fourth...
struct EpochPace {
  std::int64_t due_ns = 0;  ///< CLOCK_MONOTONIC
  std::int64_t stride = 1;
  int misses = 0;  ///< failed sessions at this point

  static constexpr std::int64_t kPatienceNs[] = {200'000, 1'000'000, 5'000'000, 20'000'000};
  static constexpr int kMostMisses = 4;
  static constexpr std::int64_t kMostStride = 16;

  /// A side that comes to a later round also waits for the earlier ones.
  constexpr std::int64_t patience_ns(int round) const noexcept {
    const std::int64_t patience = kPatienceNs[misses] * (1 + round);
    return patience < kPatienceNs[kMostMisses - 1] ? patience : kPatienceNs[kMostMisses - 1];
  }
  constexpr void met(const EpochGrid& grid, std::int64_t now_ns) noexcept {
    misses = 0;
    stride = 1;
    due_ns = grid.next_after(now_ns, stride);
  }
  constexpr void missed(const EpochGrid& grid, std::int64_t now_ns) noexcept {
    if (++misses < kMostMisses) return;
    misses = 0;
    if (stride < kMostStride) stride *= 2;
    due_ns = grid.next_after(now_ns, stride);
  }
};

}  // namespace meridian
