// SPDX-License-Identifier: Apache-2.0
#pragma once

// The constraints that samples put on corrected clocks: nothing is received before it is sent, and no rank leaves a
// collective before the last one has entered.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/clocks/samples/clock_samples.hpp"
#include "merger/clocks/samples/clock_slack.hpp"

namespace meridian {

/// A message, or one domain's wait for another in a collective. The constraint holds if slack_ns is positive.
struct ClockConstraint {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t latency = 0;   ///< number of the pair; for collectives, the number of pairs. Set by find_tight()
  double sent_ns = 0;          ///< shifted time of `from`
  double received_ns = 0;      ///< shifted time of `to`
  std::uint32_t window = 0;    ///< group of windows. Set by find_tight()
  double slack_ns = 0;         ///< corrected delay; infinite if a stamp may be from either side of a clock step
  std::uint32_t messages = 0;  ///< of which it is the tightest. Set by find_tight(), as the next one
  /// The least sum of the slacks both ways within one window, in which clocks hardly bend; infinite if there is none.
  double round_trip_ns = std::numeric_limits<double>::infinity();
};

/// Return values of a visitor. A visitor without a return value always continues.
enum class Visited { next, moved_knots, stop };

/// Calls visit(constraint, point) for the points in one direction of a pair. Returns false if the visitor stopped.
template <class Visit>
bool for_each_message(const PairSamples& pair, int direction, const ClockCorrection& correction, Visit&& visit) {
  ClockSlack slack{correction, pair.from(direction), pair.to(direction)};
  for (const ClockPoint& point : pair.sides[direction].points()) {
    const ClockSlack::Message one = slack(point);
    const ClockConstraint constraint{pair.from(direction), pair.to(direction), 0, one.sent_ns, one.received_ns, 0,
                                     one.slack_ns};
    if constexpr (std::is_void_v<std::invoke_result_t<Visit, const ClockConstraint&, const ClockPoint&>>) {
      visit(constraint, point);
    } else {
      const Visited visited = visit(constraint, point);
      if (visited == Visited::stop) return false;
      if (visited == Visited::moved_knots) slack.forget();
    }
  }
  return true;
}

/// One domain's exit from a collective, which waits for the enter of another. Both are shifted times.
inline ClockConstraint wait_between(std::uint32_t from, double enter_ns, std::uint32_t to, double exit_ns,
                                    const ClockCorrection& correction) {
  return {from,
          to,
          0,
          enter_ns,
          exit_ns,
          0,
          exit_ns + correction.at(to, exit_ns) - (enter_ns + correction.at(from, enter_ns))};
}

/// The domain that entered a collective last.
struct LastEnter {
  std::uint32_t domain = 0;
  double shifted_ns = 0;
  double corrected_ns = -std::numeric_limits<double>::infinity();  ///< remains so if every enter is ambiguous
};
LastEnter last_enter(std::span<const CollectiveSide> sides, const ClockCorrection& correction);

/// Calls visit(constraint) for every domain that waited for the last one to enter.
template <class Visit>
void for_each_wait(std::span<const CollectiveSide> sides, const LastEnter& last, const ClockCorrection& correction,
                   Visit&& visit) {
  if (std::isinf(last.corrected_ns)) return;
  for (const CollectiveSide& side : sides) {
    const auto exit = static_cast<double>(side.first_exit_ns);
    if (side.domain == last.domain || correction.is_ambiguous_at(side.domain, exit)) continue;
    visit(wait_between(last.domain, last.shifted_ns, side.domain, correction.shifted(side.domain, exit), correction));
  }
}

/// Calls visit(constraint), which returns a Visited, for every point and every wait in a collective.
template <class Visit>
void for_each_constraint(const ClockSamples& samples, const ClockCorrection& correction, Visit&& visit) {
  for (const PairSamples& pair : samples.pairs())
    for (const int direction : {0, 1})
      for_each_message(pair, direction, correction,
                       [&](const ClockConstraint& one, const ClockPoint&) { return visit(one); });
  for (const std::vector<CollectiveSide>& sides : samples.collectives())
    for_each_wait(sides, last_enter(sides, correction), correction, visit);
}

/// The last enter and the first exit of the counted domains in a collective, on the clocks of corrected(domain, time).
struct CollectiveEnds {
  double last_enter_ns = -std::numeric_limits<double>::infinity();
  double first_exit_ns = std::numeric_limits<double>::infinity();
};
template <class IsCounted, class Corrected>
CollectiveEnds collective_ends(std::span<const CollectiveSide> sides, IsCounted&& is_counted, Corrected&& corrected) {
  CollectiveEnds ends;
  for (const CollectiveSide& side : sides) {
    if (!is_counted(side.domain)) continue;
    ends.last_enter_ns = std::max(ends.last_enter_ns, corrected(side.domain, side.last_enter_ns));
    ends.first_exit_ns = std::min(ends.first_exit_ns, corrected(side.domain, side.first_exit_ns));
  }
  return ends;
}

/// The tightest message of every window and direction, and the tightest collective constraints.
///
/// group     windows that are taken together
/// left_out  [window]: whether its samples are left out; windows beyond its end, or all if it is empty, are not
std::vector<ClockConstraint> find_tight(const ClockSamples& samples, const ClockCorrection& correction,
                                        std::size_t group, const std::vector<bool>& left_out = {});

/// Points of the samples (not collectives) that are received no later than sent.
std::uint64_t count_infeasible(const ClockSamples& samples, const ClockCorrection& correction);

/// Waits in collectives that end before the last domain has entered.
std::uint64_t count_early_exits(const ClockSamples& samples, const ClockCorrection& correction);

}  // namespace meridian
