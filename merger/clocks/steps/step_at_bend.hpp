// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"

namespace meridian {

/// Finds the clock that was set: adds the largest step that bends and reversals of `correction` indicate.
/// latency_ns  the scale of a large step. False: there is none.
bool add_step_at_bend(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference,
                      double latency_ns);

}  // namespace meridian
