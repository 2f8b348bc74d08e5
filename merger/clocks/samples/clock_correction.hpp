// SPDX-License-Identifier: Apache-2.0
#pragma once

// The correction of the first line of each clock domain: a piecewise linear function of time, and clock steps.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace meridian {

/// A clock step: times from at_ns on are size_ns too large.
struct ClockStep {
  double at_ns = 0;  ///< the first time after it, on the first line
  double size_ns = 0;
  // Stamps up to last_before_ns may be from before the step, and stamps from first_after_ns on from after it. If the
  // clock was set backwards these ranges overlap, and stamps in the overlap are ambiguous.
  double last_before_ns = 0;
  double first_after_ns = 0;
  // The ends of calls between which the clock was set, if place_steps() knows them: no call begins or ends between.
  double until_ns = 0;
  double from_ns = 0;
  bool is_placed = false;

  bool is_ambiguous_at(double time_ns) const {
    return last_before_ns < first_after_ns ? time_ns > last_before_ns && time_ns < first_after_ns
                                           : time_ns >= first_after_ns && time_ns <= last_before_ns;
  }
};

/// How far a curve bends at a knot that has neighbours: its second difference, without sign.
inline double bend_at(const double* knot) noexcept { return std::abs(knot[-1] - 2 * knot[0] + knot[1]); }

/// The corrected time of domain h is t + at(h, t), where t = shifted(h, time on its first line). All in ns, as doubles:
/// exact to half a nanosecond in a run of a month.
struct ClockCorrection {
  double begin_ns = 0;    ///< of knot 0
  double spacing_ns = 1;  ///< between knots
  std::size_t domains = 0;
  std::size_t knots = 0;                      ///< of each domain, two at least
  std::vector<double> z;                      ///< [domain][knot], ns
  std::vector<std::vector<ClockStep>> steps;  ///< [domain], by time
  /// [domain]: by how much the rate of a clock that was set may differ, in ns/ns, because little says what it is; empty: all are known
  std::vector<double> rate_doubts{};

  double& knot(std::size_t domain, std::size_t k) { return z[domain * knots + k]; }
  double knot(std::size_t domain, std::size_t k) const { return z[domain * knots + k]; }
  double knot_ns(std::size_t k) const { return begin_ns + spacing_ns * static_cast<double>(k); }

  double bend_ns(std::size_t domain, std::size_t k) const { return bend_at(&z[domain * knots + k]); }
  /// The sharpest bend of any clock: the largest change of rate from one knot to the next.
  double sharpest_bend() const {
    double sharpest_ns = 0;
    for (std::size_t h = 0; h < domains; ++h)
      for (std::size_t k = 1; k + 1 < knots; ++k) sharpest_ns = std::max(sharpest_ns, bend_ns(h, k));
    return sharpest_ns / spacing_ns;
  }

  double shifted(std::size_t domain, double time_ns) const {
    double result = time_ns;
    for (const ClockStep& step : steps[domain])
      if (time_ns >= step.at_ns) result -= step.size_ns;
    return result;
  }

  double rate_doubt(std::size_t domain) const { return rate_doubts.empty() ? 0 : rate_doubts[domain]; }
  void set_rate_doubt(std::size_t domain, double rate) {
    rate_doubts.resize(domains, 0);
    rate_doubts[domain] = rate;
  }

  /// Whether any clock has a step.
  bool has_steps() const {
    return std::ranges::any_of(steps, [](const auto& of_domain) { return !of_domain.empty(); });
  }

  /// How far clocks that were set backwards run past the last stamp after removal of their steps.
  double longest_overrun() const {
    double longest = 0;
    for (const auto& of_domain : steps) {
      double sum = 0;
      for (const ClockStep& step : of_domain) longest = std::max(longest, sum -= step.size_ns);
    }
    return longest;
  }

  bool is_ambiguous_at(std::size_t domain, double time_ns) const {
    return std::ranges::any_of(steps[domain], [&](const ClockStep& step) { return step.is_ambiguous_at(time_ns); });
  }

  /// Position of a shifted time: between knots index and index + 1; share is the weight of the second.
  struct Place {
    std::size_t index;
    double share;
  };
  Place place(double time_ns) const {
    const double at = std::clamp((time_ns - begin_ns) / spacing_ns, 0.0, static_cast<double>(knots) - 1);
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

  /// The same function, sampled on other knots.
  ClockCorrection resampled(double begin, double step, std::size_t count) const {
    ClockCorrection result{begin, step, domains, count, std::vector<double>(domains * count), steps, rate_doubts};
    for (std::size_t h = 0; h < domains; ++h)
      for (std::size_t k = 0; k < count; ++k) result.knot(h, k) = extended(h, result.knot_ns(k));
    return result;
  }

  /// Like at(), but extrapolates beyond the first and the last knot.
  double extended(std::size_t domain, double time_ns) const {
    const double last = knot_ns(knots - 1);
    const double* const values = &z[domain * knots];
    if (time_ns < begin_ns) return values[0] + (values[1] - values[0]) / spacing_ns * (time_ns - begin_ns);
    if (time_ns > last)
      return values[knots - 1] + (values[knots - 1] - values[knots - 2]) / spacing_ns * (time_ns - last);
    return at(domain, time_ns);
  }
};

}  // namespace meridian
