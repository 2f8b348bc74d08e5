// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/make_feasible.hpp"

#include <algorithm>
#include <cmath>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

/// Moves the four knots around a constraint by the least that satisfies it; those of the reference stay.
void satisfy(ClockCorrection& correction, std::size_t reference, const ClockConstraint& one, double missing_ns) {
  const auto to = correction.place(one.received_ns), from = correction.place(one.sent_ns);
  const double to_left = one.to == reference ? 0 : 1 - to.share, to_right = one.to == reference ? 0 : to.share;
  const double from_left = one.from == reference ? 0 : 1 - from.share;
  const double from_right = one.from == reference ? 0 : from.share;
  const double norm = to_left * to_left + to_right * to_right + from_left * from_left + from_right * from_right;
  if (norm <= 0) return;
  const double step = missing_ns / norm;
  correction.knot(one.to, to.index) += step * to_left;
  correction.knot(one.to, to.index + 1) += step * to_right;
  correction.knot(one.from, from.index) -= step * from_left;
  correction.knot(one.from, from.index + 1) -= step * from_right;
}

}  // namespace

std::uint64_t make_feasible(const ClockSamples& samples, ClockCorrection& correction, std::size_t reference,
                            double margin_ns, double most_ns) {
  const ClockCorrection before = correction;
  std::uint64_t reversed = 0, missing = 0;
  for (int sweep = 0; sweep <= ClockTuning::kFeasibleSweeps; ++sweep) {
    missing = 0;
    std::uint64_t irreparable = 0;
    for_each_constraint(samples, correction, [&](const ClockConstraint& one) {
      if (one.slack_ns >= margin_ns) return Visited::next;
      if (one.slack_ns < -most_ns) {
        ++irreparable;
        return Visited::next;
      }
      ++missing;
      if (sweep < ClockTuning::kFeasibleSweeps)
        satisfy(correction, reference, one, ClockTuning::kMarginGrip * margin_ns - one.slack_ns);
      return Visited::moved_knots;
    });
    if (sweep == 0) reversed = missing + irreparable;
    if (missing == 0) return irreparable;
    missing += irreparable;
  }
  // Contradictory constraints push the clocks apart; the fitted clocks are better then.
  double farthest = 0;
  for (std::size_t i = 0; i < correction.z.size(); ++i)
    farthest = std::max(farthest, std::abs(correction.z[i] - before.z[i]));
  if (farthest <= most_ns && missing <= reversed) return missing;
  correction = before;
  return reversed;
}

}  // namespace meridian
