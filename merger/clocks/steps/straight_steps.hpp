// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// Finds clock steps in runs whose messages are too rare, or wait too long in their receivers, for windows to show one: the fewest steps
/// with which clocks of constant rates contradict no message and no collective.
///
/// Clocks that contradict each other on the first lines are set aside, those with the most contradictions first, until the others
/// agree. Each is then compared with these: for every rate that it may have, stamps are gone through in order of time, and a step begins
/// where no constant offset satisfies the next limit as well. The rate with the fewest steps counts. Gone through forwards, a step comes as
/// late as it can, backwards as early; stamps in between may be from either side.
///
/// correction  first lines, on two knots. Steps are added, and the lines are changed as by find_steps()
/// drifts      [domain]: of the first lines from the clocks' own ticks
/// returns     the number of steps found
std::size_t find_straight_steps(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference,
                                std::span<const double> drifts);

/// Whether the rates of clocks on the way from the first exchange to the last one are such as oscillators have. Otherwise some clock was set.
bool have_rates_of_oscillators(std::span<const double> drifts);
/// Sets ClockCorrection::rate_doubts of the clocks whose rates no oscillator has; of all clocks if that is the reference, which then was set.
void doubt_rates(std::span<const double> drifts, std::size_t reference, ClockCorrection& correction);

}  // namespace meridian
