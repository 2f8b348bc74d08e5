#pragma once

// What the first line of each clock domain leaves: a piecewise linear correction over time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace meridian {

/// A change of rate, from one knot to the next, that is no oscillator's.
inline constexpr double kSuddenRate = 1e-6;

/// A clock that was set: its times from at_ns on are size_ns too large.
struct ClockJump {
  double at_ns = 0;  ///< the first time (of the first line) after it
  double size_ns = 0;
  // No stamp from the one on is of the time before, and none up to the other of the time after. Where the clock was set
  // backwards the first after lies before the last before: all that can be said of stamps between them.
  double last_before_ns = 0;
  double first_after_ns = 0;

  bool is_blind_at(double time_ns) const {
    return last_before_ns < first_after_ns ? time_ns > last_before_ns && time_ns < first_after_ns
                                           : time_ns >= first_after_ns && time_ns <= last_before_ns;
  }
};

/// Corrected time of domain h: t = shifted(h, time of its first line); then t + at(h, t). All in ns, as doubles: a run
/// of a month is exact to half a nanosecond.
struct ClockResidual {
  double begin_ns = 0;  ///< of knot 0
  double step_ns = 1;   ///< between knots
  std::size_t domains = 0;
  std::size_t knots = 0;                      ///< of each domain, two at least
  std::vector<double> z;                      ///< [domain][knot], ns
  std::vector<std::vector<ClockJump>> jumps;  ///< [domain], by time

  double& knot(std::size_t domain, std::size_t k) { return z[domain * knots + k]; }
  double knot(std::size_t domain, std::size_t k) const { return z[domain * knots + k]; }
  double knot_ns(std::size_t k) const { return begin_ns + step_ns * static_cast<double>(k); }

  double shifted(std::size_t domain, double time_ns) const {
    double result = time_ns;
    for (const ClockJump& jump : jumps[domain])
      if (time_ns >= jump.at_ns) result -= jump.size_ns;
    return result;
  }

  /// Whether any clock was set.
  bool has_jumps() const {
    return std::ranges::any_of(jumps, [](const auto& of_domain) { return !of_domain.empty(); });
  }

  /// How far clocks that were set backwards go beyond the last time of all.
  double longest_beyond() const {
    double longest = 0;
    for (const auto& of_domain : jumps) {
      double sum = 0;
      for (const ClockJump& jump : of_domain) longest = std::max(longest, sum -= jump.size_ns);
    }
    return longest;
  }

  bool is_blind_at(std::size_t domain, double time_ns) const {
    return std::ranges::any_of(jumps[domain], [&](const ClockJump& jump) { return jump.is_blind_at(time_ns); });
  }

  /// Where a (shifted) time lies: between knots index and index + 1, the share of the second.
  struct Place {
    std::size_t index;
    double share;
  };
  Place place(double time_ns) const {
    const double at = std::clamp((time_ns - begin_ns) / step_ns, 0.0, static_cast<double>(knots) - 1);
    const std::size_t index = std::min(static_cast<std::size_t>(at), knots - 2);
    return {index, at - static_cast<double>(index)};
  }
  double at(std::size_t domain, double time_ns) const {
    const Place p = place(time_ns);
    const double* const values = &z[domain * knots + p.index];
    return values[0] * (1 - p.share) + values[1] * p.share;
  }
  double corrected(std::size_t domain, double time_ns) const {
    const double t = shifted(domain, time_ns);
    return t + at(domain, t);
  }

  /// The same function on other knots.
  ClockResidual resampled(double begin, double step, std::size_t count) const {
    ClockResidual result{begin, step, domains, count, std::vector<double>(domains * count), jumps};
    for (std::size_t h = 0; h < domains; ++h)
      for (std::size_t k = 0; k < count; ++k) result.knot(h, k) = extended(h, result.knot_ns(k));
    return result;
  }

  /// Like at(), but goes on beyond the first and the last knot as it ends.
  double extended(std::size_t domain, double time_ns) const {
    const double last = knot_ns(knots - 1);
    const double* const values = &z[domain * knots];
    if (time_ns < begin_ns) return values[0] + (values[1] - values[0]) / step_ns * (time_ns - begin_ns);
    if (time_ns > last) return values[knots - 1] + (values[knots - 1] - values[knots - 2]) / step_ns * (time_ns - last);
    return at(domain, time_ns);
  }
};

}  // namespace meridian
