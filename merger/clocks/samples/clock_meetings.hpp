// SPDX-License-Identifier: Apache-2.0
#pragma once

// Meetings of two clocks: the quickest messages both ways between two domains within a window.

#include <cstdint>
#include <span>
#include <vector>

#include "merger/clocks/samples/clock_constraints.hpp"

namespace meridian {

/// Two corrected clocks, compared by a quick message each way. If both took equally long, the clock of `high` is
/// ahead by ahead_ns; whatever they took, it is ahead by ahead_ns - half_ns to ahead_ns + half_ns.
struct ClockMeeting {
  std::uint32_t pair = 0;
  std::uint32_t low = 0, high = 0;
  std::uint32_t window = 0;  ///< group of windows
  double low_ns = 0;         ///< shifted time of `low`: in the middle between its two stamps
  double high_ns = 0;
  double ahead_ns = 0;
  double half_ns = 0;          ///< half of the round trip
  double trip_ns = 0;          ///< the same of messages at one time, whatever the clocks did in the window
  double doubt_ns = 0;         ///< half of what the round trip took longer than the quickest tenth of the pair's
  std::uint32_t messages = 0;  ///< each way, at least
};

/// The meetings among the tightest samples, in their order. Round trips that seem to take no time are none.
std::vector<ClockMeeting> find_meetings(std::span<const ClockConstraint> tight);

/// By how much the latency of a pair was raised at each of its tightest samples: networks are slower under load, in both
/// directions alike as far as anyone can tell. The doubt of the meeting; 0 where there were few messages, which may all
/// have been late, or messages one way only.
///
/// returns  [tight], ns
std::vector<double> raised_latencies(std::span<const ClockConstraint> tight);

/// The meetings that contradict the fit although they were quick: one of their messages would have taken more than three
/// times as long as the other.
///
/// usual_ns  the latency of the network. Pairs that are much slower may have a host that always lags.
std::vector<ClockMeeting> contradictions_among(std::span<const ClockMeeting> meetings, double usual_ns);

}  // namespace meridian
