#pragma once

// One line through the round trips between two clocks.

#include <cstddef>
#include <optional>
#include <span>

namespace meridian {

/// What one round trip says about two clocks: at the moment when the clock to be mapped showed `at_ns`, the other one
/// showed `at_ns + offset_ns`. That moment is the midpoint of the outer stamps. All in nominal ns.
struct RoundTrip {
  long double at_ns = 0;
  long double offset_ns = 0;
  long double rtt_ns = 0;  ///< without the time that the responder held the message
  int batch = 0;           ///< round trips made in one go; quick ones are told from slow ones within a batch
};

/// other_ns = at_ns + offset_ns + drift * (at_ns - centre_ns)
struct LineFit {
  long double centre_ns = 0;
  long double offset_ns = 0;   ///< at the centre
  double drift = 0;            ///< dimensionless
  double residual_ns = 0;      ///< standard deviation of the residuals, E_r; 0 when they are too few to tell
  double drift_error = 0;      ///< standard error of the drift, E_X
  double centre_error_ns = 0;  ///< standard error of the offset at the centre
  std::size_t used = 0;
  std::size_t dropped = 0;
  double rtt_min_ns = 0;
  double rtt_median_ns = 0;

  /// Standard error of the offset at another time: E_D0 if the line's times were counted from there.
  double offset_error_ns(long double at_ns) const;
};

/// Least squares of offset over time. Of each batch the slowest (a tenth, if `kept` is 0.9) are dropped, and a round
/// trip counts the less the more it lasted beyond the quickest of its batch: half of that excess is how far its offset
/// can be off. With equal weights, and n round trips at times T counted from any origin, this is
///   Delta = n ST2 - (ST)^2,   drift = (n STD - ST SD) / Delta,   D0 = (SD ST2 - ST STD) / Delta,
///   E_X = E_r sqrt(n / Delta),   E_D0 = E_r sqrt(ST2 / Delta);
/// with weights, n in the errors is the number of equal ones that would say as much.
///
/// with_drift  false: a constant. Also when the round trips cannot tell a drift: fewer than two moments.
/// returns     nothing when there are no round trips.
/// Source: E. Clement, "Synchronisation de traces dans un reseau distribue", Ecole Polytechnique de Montreal, 2006
/// (formulas corrected; times are centred before they are squared).
std::optional<LineFit> fit_line(std::span<const RoundTrip> trips, bool with_drift, double kept = 0.9);

}  // namespace meridian
