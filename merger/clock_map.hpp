#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/format/rank_file.hpp"
#include "trace/format/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A tick's length is an integer, in units of 2^-52 ns: fine enough that a map is exact to the nanosecond over 2^53
/// ticks, wide enough for a counter of 250 kHz.
inline constexpr int kTickScaleBits = 52;

/// Local ticks to global nanoseconds, by integers alone: global_ns = base_ns + ((ticks - base_ticks) * scale) >> 52,
/// with a 128-bit product. Never decreasing, and the same on every machine.
class ClockMap {
 public:
  ClockMap() = default;  ///< ticks are global ns
  /// ns_per_tick_q52  length of a tick in 2^-52 ns
  ClockMap(std::uint64_t base_ticks, std::int64_t base_ns, std::uint64_t ns_per_tick_q52)
      : base_ticks_{base_ticks}, base_ns_{base_ns}, scale_{ns_per_tick_q52} {}
  std::int64_t to_global(std::uint64_t ticks) const noexcept {
    const auto delta = static_cast<std::int64_t>(ticks - base_ticks_);  // wraps: right on both sides of the base
    return base_ns_ + static_cast<std::int64_t>((static_cast<__int128>(delta) * scale_) >> kTickScaleBits);
  }
  /// The same map onto an axis whose zero lies `ns` later.
  ClockMap with_zero_at(std::int64_t ns) const noexcept { return {base_ticks_, base_ns_ - ns, scale_}; }

 private:
  std::uint64_t base_ticks_ = 0;
  std::int64_t base_ns_ = 0;
  std::uint64_t scale_ = 1ULL << kTickScaleBits;
};

/// As `--clock-model` names them.
///   none    no exchange is looked at: every domain stands where its realtime clock put it at the start
///   offset  the round trips at the start; no drift
///   linear  the round trips at start and end, one line a domain. The default
enum class ClockModel { none, offset, linear };

struct Clocks {
  std::vector<ClockMap> maps;           ///< [ranks given], same order
  std::vector<ClockSummary> table;      ///< one row per (domain, host), by domain, then by the host's first rank
  std::vector<Finding> findings;        ///< clock.*
  std::int64_t origin_realtime_ns = 0;  ///< UTC of global time 0, as the reference's clock has it
};

/// Groups ranks into clock domains and maps each to the domain of the first rank, the reference.
///
/// metas    [ranks], those of the files present, ordered by rank. Global time 0 is the earliest moment that any of them
///          recorded, so that no time is negative.
/// table    `local` is a domain's CLOCK_MONOTONIC as its own tick rate continues it, `global` the reference's:
///          global = local + offset_s at global time 0, and offset_s grows by drift_ppm from there. The reference has
///          zeros. Errors of domains that are reached by way of others are summed in quadrature; residual and round
///          trips are those of the last step.
/// errors   invalid_argument: no ranks.
Result<Clocks> fit_clocks(std::span<const RankMeta* const> metas, ClockModel model);

}  // namespace meridian
