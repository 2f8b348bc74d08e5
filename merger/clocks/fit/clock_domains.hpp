// SPDX-License-Identifier: Apache-2.0
#pragma once

// Determines which ranks read the same clock, and the length of its ticks.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Converts the ticks of one clock to nominal nanoseconds since a base. long double is exact to a nanosecond over 500
/// years, and the fits need fractions of it.
struct TickAxis {
  std::uint64_t base_ticks = 0;
  std::int64_t base_monotonic_ns = 0;  ///< CLOCK_MONOTONIC at the base
  std::int64_t base_realtime_ns = 0;   ///< UTC at the base
  long double ns_per_tick = 1;

  /// Nominal ns from the base to `ticks`. The difference of ticks is taken in integers first.
  long double ns(std::uint64_t ticks) const noexcept {
    return static_cast<long double>(static_cast<std::int64_t>(ticks - base_ticks)) * ns_per_tick;
  }
};

struct ClockDomain {
  ClockKind kind{};
  std::vector<std::size_t> members;  ///< indexes of the ranks given, ascending
  TickAxis axis;
  std::uint64_t first_ticks = 0;  ///< earliest stamp that any member recorded
  bool is_rate_assumed = false;   ///< no two anchors were far enough apart to measure the rate
  double tick_ns = 1;             ///< what its stamps are multiples of, as far as they show it
  bool has_anchor = false;        ///< otherwise base_monotonic_ns and base_realtime_ns are 0
};

/// Finds the domains, in the order of their lowest rank. `domain_of` receives the number of each rank's domain.
///
/// parts  [ranks], or empty: ranks of one domain with different values do not share a clock
std::vector<ClockDomain> find_domains(std::span<const RankMeta* const> metas, std::span<const std::uint32_t> parts,
                                      std::vector<std::size_t>& domain_of);

/// "tsc", "monotonic_raw", ...
std::string clock_name(ClockKind kind);

}  // namespace meridian
