// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line through the ping-pong exchanges between two clocks.

#include <cstddef>
#include <optional>
#include <span>

namespace meridian {

/// The result of one ping-pong exchange: when the clock to be mapped showed `at_ns`, the other one showed `at_ns +
/// offset_ns`. That moment is the midpoint of the outer stamps. All in nominal ns.
struct ExchangeOffset {
  long double at_ns = 0;
  long double offset_ns = 0;
  long double rtt_ns = 0;  ///< round trip time, without the time that the answering side held the message
  int batch = 0;           ///< exchanges made in one session; quick and slow are distinguished within a batch
};

/// other_ns = at_ns + offset_ns + drift * (at_ns - centre_ns)
struct LineFit {
  long double centre_ns = 0;
  long double offset_ns = 0;   ///< at the centre
  double drift = 0;            ///< dimensionless
  double residual_ns = 0;      ///< standard deviation of the residuals, E_r; 0 if there are too few
  double drift_error = 0;      ///< standard error of the drift, E_X
  double centre_error_ns = 0;  ///< standard error of the offset at the centre
  std::size_t used = 0;
  std::size_t dropped = 0;
  double rtt_min_ns = 0;
  double rtt_median_ns = 0;

  /// Standard error of the offset at another time; E_D0 if times are counted from there.
  double offset_error_ns(long double at_ns) const;
};

/// Weighted least squares of offset over time. The slowest exchanges of each batch are dropped (a tenth, if `kept` is
/// 0.9). The others weigh the less the longer they took compared with the quickest of their batch: half of that excess
/// is how far the offset can be off. With equal weights and n exchanges at times T, counted from any origin, this is
///   Delta = n ST2 - (ST)^2,   drift = (n STD - ST SD) / Delta,   D0 = (SD ST2 - ST STD) / Delta,
///   E_X = E_r sqrt(n / Delta),   E_D0 = E_r sqrt(ST2 / Delta);
/// with weights, n in the errors is the equivalent number of equal weights.
///
/// with_drift  false: a constant. So is the line if all exchanges are at one moment.
/// returns     empty if there are no exchanges.
/// Source: E. Clement, "Synchronisation de traces dans un reseau distribue", Ecole Polytechnique de Montreal, 2006
/// (formulas corrected; times are centred before they are squared).
std::optional<LineFit> fit_line(std::span<const ExchangeOffset> exchanges, bool with_drift, double kept = 0.9);

}  // namespace meridian
