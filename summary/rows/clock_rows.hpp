// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on clocks.

#include <cstdint>
#include <string>
#include <vector>

#include "trace/format/tables/table_column.hpp"

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
  double t1_most_s = -1;      ///< half width of T1 that kMostTimes of the times with a bound do not exceed; -1: none
  double unbound_share = -1;  ///< of the run in which its times have no bound; -1: not known

  static constexpr double kMostTimes = 0.95;

  template <class Row = ClockSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::host>("host", "", "computer"),
      column<&Row::domain>("domain", "", "hosts with the same number share one clock"),
      column<&Row::leader>("leader", "", "rank that made the ping-pong exchanges"),
      column<&Row::ranks>("ranks", "", "ranks on this clock"),
      column<&Row::clock>("clock", "", "tsc, monotonic_raw, monotonic"),
      column<&Row::model>(
          "model", "",
          "how the clock was fitted; shared: as another host of its domain; realtime: nothing ties it to the others"),
      column<&Row::frequency_hz>("frequency_hz", "Hz", "ticks a second"),
      column<&Row::offset_s>("offset_s", "s", "at the start of the trace: global = local + offset"),
      column<&Row::drift_ppm>("drift_ppm", "ppm", "growth of the offset, microseconds a second"),
      column<&Row::residual_s>("residual_s", "s", "standard deviation of the residuals"),
      column<&Row::offset_error_s>("offset_error_s", "s", "standard error of the fit"),
      column<&Row::drift_error_ppm>("drift_error_ppm", "ppm", "standard error of the fit"),
      column<&Row::rtt_min_s>("rtt_min_s", "s", "shortest round trip"),
      column<&Row::rtt_median_s>("rtt_median_s", "s", "median round trip"),
      column<&Row::exchanges>("exchanges", "", "ping-pong exchanges"),
      column<&Row::exchanges_dropped>("exchanges_dropped", "", "those that were too slow to be used"),
      column<&Row::t1_s>("t1_s", "s", "typical half width of the bounds on its times; -1: none"),
      column<&Row::t2_s>("t2_s", "s", "the same, assuming that both directions are equal within 20 %; -1: none"),
      column<&Row::t1_most_s>("t1_most_s", "s",
                              "half width of T1 that 95 % of its times with a bound do not exceed; -1: none"),
      column<&Row::unbound_share>("unbound_share", "",
                                  "share of the run in which its times have no bound; -1: not known"),
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
  std::string shape;           ///< of the clocks of `meridian`: "bends", "lines" or "offsets"; empty: others
  double bends_unseen_s = -1;  ///< median distance of round trips from a fit that has not seen them; -1: not compared
  double lines_unseen_s = -1;

  template <class Row = ClockModelSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "clock model"),
      column<&Row::is_chosen>("is_chosen", "", "1: the one in the merged file"),
      column<&Row::messages>("messages", "", "between domains"),
      column<&Row::reversed>("reversed", "", "those that are received no later than sent"),
      column<&Row::worst_s>("worst_s", "s", "the largest such difference"),
      column<&Row::residual_s>("residual_s", "s",
                               "how far both ends disagree about the middle of a round trip: root of the mean square "
                               "over the quickest nine tenths"),
      column<&Row::shape>("shape", "", "what the samples ask for: bends, lines or offsets; empty: not decided"),
      column<&Row::bends_unseen_s>("bends_unseen_s", "s",
                                   "median distance of round trips from clocks that bend, fitted without them; -1: not "
                                   "compared"),
      column<&Row::lines_unseen_s>("lines_unseen_s", "s", "the same from straight clocks"),
  };
};

}  // namespace meridian
