// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clock report in the merged file: a group of columns for each of its tables.

#include "merged/model/clock_report.hpp"
#include "trace/format/tables/table_column.hpp"
#include "trace/model/result.hpp"

namespace meridian::clock_report {

inline constexpr Columns kFit{
    column<&ClockFitPoint::domain>("domain", "", "clock_domain of /ranks; ascends"),
    column<&ClockFitPoint::time_ns>("time_ns", "ns", "global"),
    column<&ClockFitPoint::correction_ns>("correction_ns", "ns", "added to the line between start and end"),
    column<&ClockFitPoint::drift_ppm>("drift_ppm", "ppm", "from here to the next point"),
};
inline constexpr Columns kSamples{
    column<&ClockSamplePoint::domain>("domain", "", "clock_domain of /ranks; ascends"),
    column<&ClockSamplePoint::other>("other", "", "domain at the other end"),
    column<&ClockSamplePoint::kind>("kind", "", "0: a round trip, 1: the correction is at least this, 2: at most this"),
    column<&ClockSamplePoint::time_ns>("time_ns", "ns", "global; ascends within a domain"),
    column<&ClockSamplePoint::correction_ns>("correction_ns", "ns", "that the sample asks for"),
    column<&ClockSamplePoint::residual_ns>("residual_ns", "ns", "that, less the fitted one"),
};
inline constexpr Columns kRoundTrips{
    column<&RoundTripRow::from>("from", "", "domain that asked"),
    column<&RoundTripRow::to>("to", "", "domain that answered"),
    column<&RoundTripRow::count>("count", "", ""),
    column<&RoundTripRow::min_ns>("min_ns", "ns", "without the time that the other side held them"),
    column<&RoundTripRow::p25_ns>("p25_ns", "ns", ""),
    column<&RoundTripRow::median_ns>("median_ns", "ns", ""),
    column<&RoundTripRow::p75_ns>("p75_ns", "ns", ""),
    column<&RoundTripRow::p99_ns>("p99_ns", "ns", ""),
    column<&RoundTripRow::max_ns>("max_ns", "ns", ""),
};
inline constexpr Columns kLengths{
    column<&RoundTripBin::length_ns>("length_ns", "ns", "least of the bin, which ends 2^(1/8) times as far"),
    column<&RoundTripBin::count>("count", "", "round trips of all pairs"),
};
inline constexpr Columns kLoops{
    column<&ClockLoop::from>("from", "", "domain"),
    column<&ClockLoop::to>("to", "", "domain"),
    column<&ClockLoop::is_messages>("is_messages", "", "1: from messages both ways, 0: from round trips"),
    column<&ClockLoop::time_ns>("time_ns", "ns", "global"),
    column<&ClockLoop::line_ns>("line_ns", "ns", "direct offset less that of lines composed along the path"),
    column<&ClockLoop::fit_ns>("fit_ns", "ns", "direct offset less that of the clocks as corrected"),
    column<&ClockLoop::doubt_ns>("doubt_ns", "ns", "half of the smallest round trip"),
};

/// Calls action(name of the group, columns, rows) for each table.
template <class Report, class Action>
Status for_each_table(Report& report, Action&& action) {
  MERIDIAN_TRY_DO(action("clocks/fit", kFit, report.fit));
  MERIDIAN_TRY_DO(action("clocks/samples", kSamples, report.samples));
  MERIDIAN_TRY_DO(action("clocks/round_trips", kRoundTrips, report.round_trips));
  MERIDIAN_TRY_DO(action("clocks/round_trip_lengths", kLengths, report.lengths));
  return action("clocks/loops", kLoops, report.loops);
}

}  // namespace meridian::clock_report
