// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clock corrections, condensed to a size that does not grow with the run.

#include <cstdint>
#include <vector>

namespace meridian {

/// The correction of a domain's line between start and end, at one moment: global time is line + correction_ns. All
/// times are global.
struct ClockFitPoint {
  std::uint32_t domain = 0;
  std::int64_t time_ns = 0;
  double correction_ns = 0;
  double drift_ppm = 0;  ///< of the clock against the reference, from here to the next point
};

/// The bound that a sample sets for the correction.
enum class ClockSampleKind : std::uint8_t {
  round_trip,  ///< equal to this if both directions took equally long
  at_least,    ///< at least this, for a received message
  at_most,     ///< at most this, for a sent message
};

struct ClockSamplePoint {
  std::uint32_t domain = 0;
  std::uint32_t other = 0;  ///< domain at the other end
  ClockSampleKind kind{};
  std::int64_t time_ns = 0;
  double correction_ns = 0;  ///< that the sample requires, with the other domain as fitted
  double residual_ns = 0;    ///< distance of the sample from the fitted correction
};

/// Round trip times between two domains.
struct RoundTripRow {
  std::uint32_t from = 0;  ///< domain that sent first
  std::uint32_t to = 0;
  std::uint64_t count = 0;
  double min_ns = 0, p25_ns = 0, median_ns = 0, p75_ns = 0, p99_ns = 0, max_ns = 0;
};

/// Number of round trips, of all pairs, that took from length_ns to 2^(1/8) times as long.
struct RoundTripBin {
  double length_ns = 0;
  std::uint64_t count = 0;
};

/// A pair of domains, compared directly and by their maps.
struct ClockLoop {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t is_messages = 0;  ///< 1: from messages both ways; 0: from round trips
  std::int64_t time_ns = 0;
  double line_ns = 0;   ///< direct offset minus that of lines composed along the path to the reference
  double fit_ns = 0;    ///< direct offset minus that of the corrected clocks
  double doubt_ns = 0;  ///< half of the smallest round trip time, the resolution of the direct comparison
};

struct ClockReport {
  std::vector<ClockFitPoint> fit;         ///< by domain and time; not of the reference
  std::vector<ClockSamplePoint> samples;  ///< a selection
  std::vector<RoundTripRow> round_trips;  ///< by pair
  std::vector<RoundTripBin> lengths;      ///< ascending
  std::vector<ClockLoop> loops;           ///< by pair, kind and time
};

}  // namespace meridian
