// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bounds on the error of the corrected clocks.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/model/clock_tuning.hpp"

namespace meridian {

/// The assumptions about clocks and network, besides that nothing is received before it is sent.
struct ClockAssumptions {
  double rho_ppm = 0.05;  ///< a clock's rate is this close to the fitted one
  double rho_ppm_per_s =
      ClockTuning::kRhoPpmPerS;  ///< and between two-way exchanges this much farther, per second of half the gap
  /// [domain]: a time may be later than its stamp by up to this; empty: stamps are exact to a nanosecond
  std::vector<double> tick_ns{};
  double latency_share = ClockTuning::kLatencyShare;  ///< T2: no delay is below this share of the smallest of its pair
  bool may_slew =
      true;  ///< whether the system of some host may slew its clock; otherwise clocks do not bend unless they are set
};

/// Bounds at every knot: true time lies in [t - early, t + late]. Index [domain * knots + knot].
struct ClockCertificate {
  static constexpr int kLevels = 2;                  ///< 0: T1, causality and rates only; 1: T2, also least latencies
  std::vector<float> early[kLevels], late[kLevels];  ///< ns; infinite where nothing bounds that side
  std::vector<float> rate;                           ///< bounds grow by this, ns per ns, away from a knot
  std::vector<bool> is_broken;                       ///< an assumption is violated here, so there is no bound
  std::vector<bool> has_slews;  ///< [domain]: its system sets the clock right in fractions of a second
};

/// The tightest bounds that these samples and assumptions allow. In a fit without reversed samples, each sample becomes
/// an edge between two knots whose length is its slack plus what the clocks may drift on the way to the knots. With
/// edges along every clock, the bounds are the shortest paths from and to the reference.
/// Source: B. Patt-Shamir, S. Rajsbaum, "A theory of clock synchronization", STOC 1994.
ClockCertificate certify(const ClockSamples& samples, const ClockCorrection& correction, std::size_t reference,
                         const ClockAssumptions& assumptions);

}  // namespace meridian
