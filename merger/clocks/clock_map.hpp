#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "merger/clocks/clock_bounds.hpp"
#include "trace/format/rank_file.hpp"
#include "trace/format/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A tick's length is an integer, in units of 2^-52 ns: fine enough that a map is exact to the nanosecond over 2^53
/// ticks, wide enough for a counter of 250 kHz.
inline constexpr int kTickScaleBits = 52;

/// A stretch of a clock: from base_ticks on, global_ns = base_ns + ((ticks - base_ticks) * scale) >> 52.
struct ClockStretch {
  std::uint64_t base_ticks = 0;
  std::int64_t base_ns = 0;
  std::uint64_t scale = 1ULL << kTickScaleBits;  ///< length of a tick in 2^-52 ns

  std::int64_t to_global(std::uint64_t ticks) const noexcept {
    const auto delta = static_cast<std::int64_t>(ticks - base_ticks);  // wraps: right on both sides of the base
    const auto passed_ns = static_cast<std::uint64_t>((static_cast<__int128>(delta) * scale) >> kTickScaleBits);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(base_ns) + passed_ns);  // damaged clocks may wrap
  }
};

/// Local ticks to global nanoseconds, by integers alone, with 128-bit products: a line, or stretches of lines that
/// follow one another. Never decreasing, and the same on every machine.
class ClockMap {
 public:
  ClockMap() = default;  ///< ticks are global ns
  /// ns_per_tick_q52  length of a tick in 2^-52 ns
  ClockMap(std::uint64_t base_ticks, std::int64_t base_ns, std::uint64_t ns_per_tick_q52)
      : line_{base_ticks, base_ns, ns_per_tick_q52} {}
  /// Through these points, which ascend in ticks; times that do not ascend with them are lifted to the one before.
  /// Lines go on beyond the first and the last point. One point alone: no stretch, ticks as `otherwise` has them.
  struct Point {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
  };
  static ClockMap through(const std::vector<Point>& points, const ClockMap& otherwise);

  std::int64_t to_global(std::uint64_t ticks) const noexcept {
    if (bends_ == nullptr) [[likely]]
      return line_.to_global(ticks);
    return bent(ticks);
  }
  /// The first tick that to_global() puts at `ns` or after; for a map that is one line.
  std::uint64_t to_ticks(std::int64_t ns) const noexcept;
  /// The same map onto an axis whose zero lies `ns` later.
  ClockMap with_zero_at(std::int64_t ns) const noexcept {
    ClockMap map = *this;
    map.line_.base_ns -= ns;
    return map;
  }

 private:
  struct Bends {
    std::uint64_t first_ticks = 0;
    std::uint64_t ticks_per_stretch = 1;  // as a mean: where to look first
    std::vector<ClockStretch> stretches;
  };
  std::int64_t bent(std::uint64_t ticks) const noexcept;

  ClockStretch line_;                   // of a bent clock, base_ns is added to all its times
  std::shared_ptr<const Bends> bends_;  // shared by the ranks of a domain
};

/// As `--clock-model` names them.
///   none        no exchange is looked at: every domain stands where its realtime clock put it at the start
///   offset      the round trips at the start; no drift
///   linear      the round trips at start and end, one line a domain
///   regression  all round trips, one line a domain; the slowest tenth is dropped
///   hull        messages and round trips: the middle of the corridor that their delays leave, one line a domain
///   meridian    messages, collectives and round trips: bends with the clocks, and bounds every time. The default
enum class ClockModel { none, offset, linear, regression, hull, meridian };
inline constexpr std::array<std::string_view, 6> kClockModelNames{"none",       "offset", "linear",
                                                                  "regression", "hull",   "meridian"};

/// Whether a model looks at messages, so that refine_clocks() makes it.
constexpr bool bends(ClockModel model) noexcept { return model == ClockModel::hull || model == ClockModel::meridian; }

struct ClockOptions {
  ClockModel model = ClockModel::meridian;
  std::string reference = "auto";      ///< rank or host whose clock is the global one; auto: the most central domain's
  double confidence = 0.9;             ///< regression: this share of the round trips, the quickest, is kept
  double segment_s = 0;                ///< meridian: between knots; 0: 1 s, or more where messages are rare
  double rho_ppm = 0.05;               ///< meridian: how far a clock's rate may be from the fitted one
  std::vector<std::uint32_t> parts{};  ///< [ranks given]: those of a domain that differ here have clocks of their own

  ClockOptions() = default;
  ClockOptions(ClockModel model_) : model{model_} {}  // a model is the option that tests give
};

struct Clocks {
  std::vector<ClockMap> maps;            ///< [ranks given], same order
  std::vector<std::uint32_t> domain_of;  ///< [ranks given]
  std::uint32_t domains = 0;
  std::uint32_t reference = 0;             ///< domain whose clock is the global one
  std::vector<std::uint64_t> first_ticks;  ///< [domains]: earliest stamp
  std::vector<bool> is_tied;               ///< [domains]: round trips at both ends of the run lead to the reference
  std::vector<ClockSummary> table;         ///< one row per (domain, host), by domain, then by the host's first rank
  std::vector<Finding> findings;           ///< clock.*
  std::int64_t origin_realtime_ns = 0;     ///< UTC of global time 0, as the reference's clock has it
  ClockBounds bounds;                      ///< of the model `meridian`; else empty
};

/// Groups ranks into clock domains and maps each to the reference's. Looks at round trips and anchors alone: for the
/// models hull and meridian this is where refine_clocks() begins, and like linear.
///
/// metas    [ranks], those of the files present, ordered by rank. Global time 0 is the earliest moment that any of them
///          recorded, so that no time is negative.
/// table    `local` is a domain's CLOCK_MONOTONIC as its own tick rate continues it, `global` the reference's:
///          global = local + offset_s at global time 0, and offset_s grows by drift_ppm from there. The reference has
///          zeros. Errors of domains that are reached by way of others are summed in quadrature; residual and round
///          trips are those of the last step.
/// errors   invalid_argument: no ranks; the rank or host that is to be the reference is not there.
Result<Clocks> fit_clocks(std::span<const RankMeta* const> metas, const ClockOptions& options);

}  // namespace meridian
