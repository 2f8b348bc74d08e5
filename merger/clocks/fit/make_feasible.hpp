// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// Moves knots as little as possible until every point and every collective is in order by margin_ns. Returns how many
/// are not. Constraints violated by more than most_ns are ignored: no small correction can repair them.
std::uint64_t make_feasible(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference,
                            double margin_ns, double most_ns);

}  // namespace meridian
