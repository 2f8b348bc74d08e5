// SPDX-License-Identifier: Apache-2.0
#pragma once

// Evidence of round trips for and against bounds.

#include <cstddef>
#include <span>
#include <vector>

#include "merger/clocks/bounds/clock_certificate.hpp"
#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_meetings.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// [domain]: half of the smallest round trip that it had with any other: of the quickest tenth of a pair, because where a
/// clock is slewed within a meeting, the quickest ones seem too short. Whatever the messages, the clocks may be off by
/// as much. Meetings of few messages do not count: the quickest of each way need not have been at one time. 0 without
/// others.
std::vector<double> unobservable_ns(std::span<const ClockMeeting> meetings, std::size_t domains);

/// [domain][knot]: how far a clock's rate is from the fitted one there, by quick round trips that say so beyond their doubt: the
/// fit does not follow them. 0 where it does, and of the reference.
std::vector<double> unfollowed_rates(std::span<const ClockMeeting> meetings, const ClockCorrection& correction,
                                     std::size_t reference);

/// Whether round trips usually take about as long as the quickest of their pair: otherwise the quickest message of a pair
/// is an accident, and says nothing about the next one.
bool is_network_steady(std::span<const ClockMeeting> meetings, double latency_share);

/// Whether quick round trips go against T2: one of their messages took less than its share of half of them. So they do
/// where a clock was slewed by less than a round trip.
bool is_t2_contradicted(std::span<const ClockMeeting> meetings, const ClockAssumptions& assumptions);

/// The reach of an excursion around its middle, in knots; 0 if there is none: the clock's rate differs for a few knots and
/// then returns.
std::size_t excursion_at(const ClockCorrection& correction, std::size_t domain, std::size_t k, double least_ns);

/// [domain][knot]: whether many messages both ways, quick ones among them, follow the clock there.
std::vector<bool> busy_knots(std::span<const ClockMeeting> meetings, const ClockCorrection& correction);

/// The least known latency; infinite if none is known.
double least_known(std::span<const double> floors);

/// [latencies]: half of each pair's smallest round trip; 0 if there is none, and for collectives. A pair that is much
/// slower than usual may have been slow in one direction all the time, so it gets the least latency of all.
std::vector<double> smallest_latencies(const ClockSamples& samples, std::span<const ClockConstraint> tight);

}  // namespace meridian
