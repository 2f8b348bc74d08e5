// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on clocks.

#include <cstdint>
#include <string>
#include <vector>

#include "trace/format/table_column.hpp"

namespace meridian {

struct ClockSummary {
  std::string host;
  std::uint32_t domain = 0;         ///< hosts with the same number share one clock
  std::int32_t leader = 0;          ///< world rank that made the ping-pong exchanges
  std::vector<std::int32_t> ranks;  ///< on this host
  std::string clock;                ///< "tsc", "monotonic_raw", "monotonic"
  std::string model;  ///< "reference", "shared" (the clock of another host of the domain, whose row has the
                      ///< fit), "linear", "offset", "realtime" (fallback, flagged), or another ClockModel
  double frequency_hz = 0;
  double offset_s = 0;  ///< global = local + offset at the start of the trace
  double drift_ppm = 0;
  double residual_s = 0;      ///< standard deviation of the fit's residuals
  double offset_error_s = 0;  ///< standard error of the fit
  double drift_error_ppm = 0;
  double rtt_min_s = 0;
  double rtt_median_s = 0;
  std::uint64_t exchanges = 0;
  std::uint64_t exchanges_dropped = 0;
  double t1_s = -1;  ///< typical half width of the bounds T1 and T2; -1: none
  double t2_s = -1;

  template <class Row = ClockSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::host>("host"),
      column<&Row::domain>("domain"),
      column<&Row::leader>("leader"),
      column<&Row::ranks>("ranks"),
      column<&Row::clock>("clock"),
      column<&Row::model>("model"),
      column<&Row::frequency_hz>("frequency_hz", "Hz"),
      column<&Row::offset_s>("offset_s", "s"),
      column<&Row::drift_ppm>("drift_ppm", "ppm"),
      column<&Row::residual_s>("residual_s", "s"),
      column<&Row::offset_error_s>("offset_error_s", "s"),
      column<&Row::drift_error_ppm>("drift_error_ppm", "ppm"),
      column<&Row::rtt_min_s>("rtt_min_s", "s"),
      column<&Row::rtt_median_s>("rtt_median_s", "s"),
      column<&Row::exchanges>("exchanges"),
      column<&Row::exchanges_dropped>("exchanges_dropped"),
      column<&Row::t1_s>("t1_s", "s"),
      column<&Row::t2_s>("t2_s", "s"),
  };
};

/// The effect of one clock model on the trace's messages between clock domains.
struct ClockModelSummary {
  std::string name;
  bool is_chosen = false;      ///< the model of the merged file
  std::uint64_t messages = 0;  ///< between domains
  std::uint64_t reversed = 0;  ///< of these, received no later than sent
  double worst_s = 0;          ///< largest time by which a message is received before it is sent
  double residual_s = 0;       ///< of the ping-pong exchanges

  template <class Row = ClockModelSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name"),
      column<&Row::is_chosen>("is_chosen"),
      column<&Row::messages>("messages"),
      column<&Row::reversed>("reversed"),
      column<&Row::worst_s>("worst_s", "s"),
      column<&Row::residual_s>("residual_s", "s"),
  };
};

}  // namespace meridian
