// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_straight.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "merger/clocks/fit/clock_system.hpp"
#include "merger/clocks/samples/clock_meetings.hpp"
#include "merger/clocks/samples/median.hpp"
#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

/// How uncertain the middles of the meetings are: their common spread, and a share of each one's doubt. Both follow from
/// the distances of the meetings from the present lines.
struct MeetingSpread {
  double common_ns = 0;
  double share = 1;

  /// The common spread is that of the quickest tenth, the share that of the slower half. Where a few happen to lie on a
  /// line, they still are only as certain as quick messages are alike.
  explicit MeetingSpread(const std::vector<ClockMeeting>& meetings) {
    std::vector<const ClockMeeting*> by_doubt;
    by_doubt.reserve(meetings.size());
    for (const ClockMeeting& one : meetings) by_doubt.push_back(&one);
    std::ranges::stable_sort(by_doubt, {}, &ClockMeeting::doubt_ns);
    std::vector<double> quick, halves, shares;
    for (std::size_t i = 0; i < by_doubt.size(); ++i) {
      const double distance = std::abs(by_doubt[i]->ahead_ns);
      if (i * ClockTuning::kQuickShare <= by_doubt.size()) {
        quick.push_back(distance);
        halves.push_back(by_doubt[i]->half_ns);
      }
      if (2 * i >= by_doubt.size() && by_doubt[i]->doubt_ns > 0) shares.push_back(distance / by_doubt[i]->doubt_ns);
    }
    common_ns = std::max({ClockTuning::kLeastScaleNs, ClockTuning::kFinestScale * median(std::move(halves), 0),
                          median(std::move(quick), 0)});
    share = std::clamp(median(std::move(shares), 1), ClockTuning::kLeastDoubtShare, 1.0);
  }
  double square(const ClockMeeting& one) const {
    const double own = share * one.doubt_ns;
    return common_ns * common_ns + own * own;
  }
};

/// An unknown of the system, and how far it is from its knot.
void set_place(const ClockCorrection& lines, std::uint32_t domain, double time_ns, std::uint32_t& unknown,
               float& share) {
  const ClockCorrection::Place at = lines.place(time_ns);
  unknown = static_cast<std::uint32_t>(domain * lines.knots + at.index);
  share = static_cast<float>(at.share);
}

/// One step of the robust fit: far meetings have little weight.
void improve_lines(ClockCorrection& lines, const std::vector<ClockMeeting>& meetings,
                   const StraightSettings& settings) {
  const MeetingSpread spread{meetings};
  ClockSystem system{lines.domains, lines.knots, settings.reference};
  system.home = lines.z;
  system.x = lines.z;
  system.x.push_back(0);
  system.priors = {0};  // a latency that all rows share; it stays 0
  const double heaviest = 1 / (spread.common_ns * spread.common_ns);
  system.stiffness = heaviest * ClockTuning::kFixed;
  for (const ClockMeeting& one : meetings) {
    ClockRow row;
    set_place(lines, one.high, one.high_ns, row.to, row.to_share);
    set_place(lines, one.low, one.low_ns, row.from, row.from_share);
    row.value = lines.at(one.high, one.high_ns) - lines.at(one.low, one.low_ns) - one.ahead_ns;
    const double square = spread.square(one);
    row.weight = 1 / (square + one.ahead_ns * one.ahead_ns);
    system.rows.push_back(row);
  }
  for (std::size_t h = 0; h < settings.drifts.size(); ++h) {
    if (h == settings.reference) continue;
    ClockRow row;  // the end of the line against its begin
    row.to = row.from = static_cast<std::uint32_t>(h * lines.knots);
    row.to_share = 1;
    const double drift = settings.drifts[h];
    row.value = -drift / (1 + drift) * lines.spacing_ns;
    row.weight = heaviest * ClockTuning::kFixed;
    system.rows.push_back(row);
  }
  system.solve(ClockTuning::kExact, ClockTuning::kExactSteps);
  if (std::ranges::all_of(system.x, [](double x) { return std::isfinite(x); }))
    std::copy_n(system.x.begin(), lines.z.size(), lines.z.begin());
}

/// The number of stretches of time whose quickest messages are compared: few, if each has enough messages then.
std::size_t stretches_of(const ClockSamples& samples) {
  std::vector<double> counts;
  for (const PairSamples& pair : samples.pairs())
    for (const ClockCells& side : pair.sides) {
      double count = 0;
      for (const ClockCell& cell : side.cells()) count += cell.messages;
      counts.push_back(count);
    }
  const double usual = median(std::move(counts), 0);
  const bool are_many = usual >= static_cast<double>(ClockTuning::kStraightMeetings * ClockTuning::kEnoughForFloor);
  return are_many ? ClockTuning::kStraightMeetings : ClockTuning::kMostStraightMeetings;
}

}  // namespace

ClockCorrection fit_straight(const ClockSamples& samples, const ClockCorrection& initial,
                             const StraightSettings& settings) {
  const auto begin = static_cast<double>(samples.origin_ns());
  const double span = std::max(1.0, static_cast<double>(samples.end_ns()) - begin);
  ClockCorrection lines = initial.resampled(begin, span, 2);
  const auto windows = static_cast<std::size_t>(span / static_cast<double>(samples.window_ns()));
  const std::size_t group = windows / stretches_of(samples) + 1;
  for (int round = 0; round < ClockTuning::kStraightRounds; ++round) {
    // On better lines, other messages are the quickest of a window.
    const std::vector<ClockMeeting> meetings = find_meetings(find_tight(samples, lines, group, settings.held_out));
    if (meetings.empty()) break;
    improve_lines(lines, meetings, settings);
  }
  return lines;
}

}  // namespace meridian
