// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "merged/model/clock_bounds.hpp"
#include "merger/model/clock_map.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// As `--clock-model` names them.
///   none        places each domain by its realtime clock at the start
///   offset      ping-pong exchanges at the start; no drift
///   linear      ping-pong exchanges at start and end, one line per domain
///   regression  all ping-pong exchanges, one line per domain; the slowest tenth is dropped
///   hull        messages and exchanges: one line per domain, in the middle of the corridor that their delays leave
///   meridian    messages, collectives and exchanges: bends with the clocks, and bounds every time. The default
enum class ClockModel { none, offset, linear, regression, hull, meridian };
inline constexpr std::array<std::string_view, 6> kClockModelNames{"none",       "offset", "linear",
                                                                  "regression", "hull",   "meridian"};

/// Whether a model uses messages, and so is made by refine_clocks().
constexpr bool bends(ClockModel model) noexcept { return model == ClockModel::hull || model == ClockModel::meridian; }

struct ClockOptions {
  ClockModel model = ClockModel::meridian;
  std::string reference =
      "auto";               ///< rank or host whose clock is the global one; auto: that of the most central domain
  double confidence = 0.9;  ///< regression: share of the exchanges that is kept, the quickest
  double segment_s = 0;     ///< meridian: spacing of the knots; 0: 1 s, or more where messages are rare
  double rho_ppm = 0.05;    ///< meridian: how far a clock's rate may be from the fitted one
  std::vector<std::uint32_t> parts{};  ///< [ranks given]: ranks of a domain that differ here have separate clocks

  ClockOptions() = default;
  ClockOptions(ClockModel model_) : model{model_} {}  // implicit: tests usually set only the model
};

struct Clocks {
  std::vector<ClockMap> maps;            ///< [ranks given], same order
  std::vector<std::uint32_t> domain_of;  ///< [ranks given]
  std::uint32_t domains = 0;
  std::uint32_t reference = 0;             ///< domain whose clock is the global one
  std::vector<std::uint64_t> first_ticks;  ///< [domains]: earliest stamp
  std::vector<bool> is_tied;               ///< [domains]: exchanges at both ends of the run connect it to the reference
  std::vector<ClockSummary> table;         ///< one row per (domain, host), by domain, then by the host's first rank
  std::vector<Finding> findings;           ///< clock.*
  std::int64_t origin_realtime_ns = 0;     ///< UTC of global time 0, as the reference's clock has it
  ClockBounds bounds;                      ///< of the model `meridian`; else empty
};

}  // namespace meridian
