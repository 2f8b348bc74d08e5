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

/// The models of `--clock-model`.
///   none        each domain by its realtime clock at the start
///   offset      ping-pong exchanges at the start; no drift
///   linear      ping-pong exchanges at start and end, one line per domain
///   regression  all ping-pong exchanges, one line per domain; the slowest tenth is dropped
///   hull        messages and exchanges: one line per domain, in the middle of the corridor that their delays allow
///   meridian    messages, collectives and exchanges: a curve per domain that follows its clock, and a bound for every
///               time. The default
enum class ClockModel { none, offset, linear, regression, hull, meridian };
inline constexpr std::array<std::string_view, 6> kClockModelNames{"none",       "offset", "linear",
                                                                  "regression", "hull",   "meridian"};

/// Whether refine_clocks() makes the model, from messages.
constexpr bool bends(ClockModel model) noexcept { return model == ClockModel::hull || model == ClockModel::meridian; }

struct ClockOptions {
  ClockModel model = ClockModel::meridian;
  std::string reference =
      "auto";               ///< rank or host whose clock is the global one; auto: that of the most central domain
  double confidence = 0.9;  ///< regression: share of the exchanges that is kept: the quickest
  double segment_s =
      0;  ///< meridian: spacing of the knots; 0: 1 s, more where messages are rare, less where clocks bend
  double rho_ppm = 0.05;               ///< meridian: largest difference between a clock's true rate and its fitted one
  std::vector<std::uint32_t> parts{};  ///< [ranks given]: ranks of a domain with different values have separate clocks

  ClockOptions() = default;
  ClockOptions(ClockModel model_) : model{model_} {}  // implicit: tests usually set only the model
};

/// The evidence that decided between clocks that bend and straight ones; model `meridian`.
struct ClockVerdict {
  std::string shape;        ///< "bends", "lines" or "offsets"; empty: not decided
  double bends_ns = -1;     ///< median distance of unseen round trips from a fit that bends; -1: not compared
  double straight_ns = -1;  ///< and from straight clocks
};

/// A stretch of a map that spans a clock step: from the last call before it to the first one after it.
struct ClockJump {
  std::int64_t begin_ns = 0, end_ns = 0;  ///< global
  std::int64_t passed_ns = 0;             ///< what the clock itself shows for it, without the step
};

struct Clocks {
  std::vector<ClockMap> maps;            ///< [ranks given], in the same order
  std::vector<std::uint32_t> domain_of;  ///< [ranks given]
  std::uint32_t domains = 0;
  std::uint32_t reference = 0;             ///< domain whose clock is the global one
  std::vector<std::uint64_t> first_ticks;  ///< [domains]: earliest stamp
  std::vector<double> tick_ns;             ///< [domains]: a time may be later than its stamp by up to this
  std::vector<bool> is_tied;               ///< [domains]: whether exchanges at both ends of the run connect it to the
                                           ///< reference
  std::vector<ClockSummary> table;         ///< one row per (domain, host), by domain, then by the host's first rank
  std::vector<Finding> findings;           ///< clock.*
  std::int64_t origin_realtime_ns = 0;     ///< UTC of global time 0, by the reference's clock
  std::int64_t end_ns = 0;                 ///< models `hull` and `meridian`: the last sample, global
  ClockVerdict verdict;
  ClockBounds bounds;                         ///< model `meridian` only; otherwise empty
  std::vector<std::vector<ClockJump>> jumps;  ///< [domains], by time; empty without steps of known place
};

}  // namespace meridian
