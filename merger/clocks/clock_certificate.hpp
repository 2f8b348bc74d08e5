#pragma once

// How far the corrected clocks can be off.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merger/clocks/clock_fit.hpp"

namespace meridian {

/// What is assumed of clocks and network, beyond that nothing is received before it is sent.
struct ClockAssumptions {
  double rho_ppm = 0.05;        ///< a clock's rate stays this close to the fitted one
  double rho_ppm_per_s = 0.02;  ///< and between two-way exchanges this much less per second of half the time
  double latency_share = 0.8;   ///< T2: no delay is below this share of the smallest of its pair
};

/// Bounds at every knot: true time lies in [t - early, t + late]. Index [domain * knots + knot].
struct ClockCertificate {
  static constexpr int kLevels = 2;  ///< 0: T1, causality and rates alone; 1: T2, smallest latencies too
  std::vector<float> early[kLevels], late[kLevels];  ///< ns; infinite where nothing bounds that side
  std::vector<float> rate;                           ///< bounds grow by this, ns per ns, away from a knot
  std::vector<bool> is_broken;                       ///< an assumption is contradicted here: there is no bound
};

/// The tightest bounds that these samples and assumptions allow. A fit in which no sample is reversed turns every
/// sample into slack: an edge between two knots, whose length is the slack and what the rates add on the way to the
/// knots. With edges along every clock, shortest paths from and to the reference are the bounds.
/// Source: B. Patt-Shamir, S. Rajsbaum, "A theory of clock synchronization", STOC 1994.
ClockCertificate certify(const ClockSamples& samples, const ClockResidual& residual, std::size_t reference,
                         const ClockAssumptions& assumptions);

}  // namespace meridian
