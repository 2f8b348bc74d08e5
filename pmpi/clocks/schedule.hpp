// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which clock domains exchange messages with which, and when. It follows from their numbers, so both sides of a pair
// know it without communication.

#include <bit>
#include <cstdint>

namespace meridian {

/// One domain's part in a round: in each round it has one peer at most, and a pair of domains has one round.
struct Meeting {
  int round = 0;
  int peer = -1;      ///< number of the other domain; -1: none in this round
  bool asks = false;  ///< this one sends first
};

/// Up to `most_star` domains all meet the first, one after the other: one step to it, and so the tightest bounds. More
/// meet along the dimensions of a hypercube, in as many rounds as their number has bits.
constexpr int meeting_rounds(int domains, int most_star) noexcept {
  if (domains < 2) return 0;
  if (domains <= most_star) return domains - 1;
  return static_cast<int>(std::bit_width(static_cast<unsigned>(domains - 1)));
}

/// Whoever asks has the lower number, and what it knows of domain 0's schedule from earlier rounds.
constexpr Meeting meeting_in(int round, int domain, int domains, int most_star) noexcept {
  if (domains <= most_star) {
    if (domain == 0) return {round, round + 1, true};
    return {round, domain == round + 1 ? 0 : -1, false};
  }
  const int peer = domain ^ (1 << round);
  return peer < domains ? Meeting{round, peer, domain < peer} : Meeting{round, -1, false};
}

/// Points in time, a period apart, that all domains know: as time since domain 0's first one, which comes with its
/// questions.
struct EpochGrid {
  std::int64_t period_ns = 0;  ///< 0: there are no epochs
  std::int64_t origin_ns = 0;  ///< CLOCK_MONOTONIC of this host at point 0

  /// The first point after `now_ns` whose number is a multiple of `stride`: pairs that skip points still meet.
  constexpr std::int64_t next_after(std::int64_t now_ns, std::int64_t stride) const noexcept {
    const std::int64_t step = period_ns * stride;
    const std::int64_t passed = now_ns - origin_ns;
    const std::int64_t steps = passed >= 0 ? passed / step : -((step - 1 - passed) / step);
    return origin_ns + (steps + 1) * step;
  }
};

/// When a pair meets next, and how long it waits then. A meeting fails when the other side is not there within that
/// time, because it left the collective earlier or later, or not at all: it is tried again behind the next collectives,
/// with more patience, then at every second point, every fourth...
struct EpochPace {
  std::int64_t due_ns = 0;  ///< CLOCK_MONOTONIC
  std::int64_t stride = 1;
  int misses = 0;  ///< at this point

  static constexpr std::int64_t kPatienceNs[] = {200'000, 1'000'000, 5'000'000, 20'000'000};
  static constexpr int kMostMisses = 4;
  static constexpr std::int64_t kMostStride = 16;

  /// The one who comes to a later round waits for the earlier ones, too.
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
