// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/steps/clock_views.hpp"

#include <algorithm>
#include <utility>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/median.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// All limits of a pair, on the corrected time of one of its domains. Stamps far outside the run are ignored.
std::vector<ClockLimit> limits_of(const PairSamples& pair, const ClockCorrection& correction, bool is_axis_low) {
  const double length = correction.spacing_ns * static_cast<double>(correction.knots - 1);
  const std::uint32_t axis = is_axis_low ? pair.low : pair.high;
  std::vector<ClockLimit> limits;
  for (int direction = 0; direction < 2; ++direction) {
    const bool is_upper = pair.from(direction) == axis;
    for_each_message(pair, direction, correction, [&](const ClockConstraint& one, const ClockPoint& point) {
      if (!std::isfinite(one.slack_ns)) return;
      const double at = is_upper ? one.sent_ns : one.received_ns;
      if (std::abs(at - correction.begin_ns) > ClockTuning::kMostRuns * length) return;
      const double raw = static_cast<double>(is_upper ? point.sent_ns + point.delay_ns : point.sent_ns);
      limits.push_back({at + correction.at(axis, at), is_upper ? one.slack_ns : -one.slack_ns, raw, is_upper});
    });
  }
  return limits;
}

/// The limits that collectives set.
void add_waits(const CollectivesOfDomains& collectives, const PairSamples& pair, const ClockCorrection& correction,
               bool is_axis_low, std::vector<ClockLimit>& limits) {
  const std::uint32_t axis = is_axis_low ? pair.low : pair.high;
  for_each_wait_between(collectives, pair, correction, [&](const ClockConstraint& one, double enter, double exit) {
    const bool is_upper = one.from == axis;
    const double at = is_upper ? one.sent_ns : one.received_ns;
    limits.push_back(
        {at + correction.at(axis, at), is_upper ? one.slack_ns : -one.slack_ns, is_upper ? exit : enter, is_upper});
  });
}

/// Corridors by window, after removal of a slope. Windows without messages both ways have none.
std::vector<ClockCorridor> corridors_of(const std::vector<ClockLimit>& limits, double begin, double window_ns,
                                        double slope) {
  double end = begin;
  for (const ClockLimit& one : limits) end = std::max(end, one.at);
  std::vector<ClockCorridor> corridors(static_cast<std::size_t>((end - begin) / window_ns) + 1);
  for (const ClockLimit& one : limits) {
    const auto window = static_cast<std::size_t>((one.at - begin) / window_ns);
    ClockCorridor& corridor = corridors[window];
    corridor.at = begin + (static_cast<double>(window) + 0.5) * window_ns;
    const double value = one.value - slope * (one.at - begin);
    if (one.is_upper)
      corridor.upper = std::min(corridor.upper, value);
    else
      corridor.lower = std::max(corridor.lower, value);
  }
  std::erase_if(corridors, [](const ClockCorridor& one) { return !one.has_both(); });
  return corridors;
}

/// The median rate at which one clock moves away from the other. A steep slope widens the corridors, so it is estimated
/// between neighbouring windows, removed, and refined over longer distances, but not so long that most of them contain
/// a step; only corridors of at most median width count in the refinement.
std::optional<double> usual_slope(const std::vector<ClockLimit>& limits, double begin, double window_ns) {
  double slope = 0;
  for (const std::size_t longest : ClockTuning::kSlopeWays) {
    std::vector<ClockCorridor> corridors = corridors_of(limits, begin, window_ns, slope);
    if (corridors.size() <= ClockTuning::kFewestMoves) return std::nullopt;
    if (longest > 1)
      std::erase_if(corridors, [usual = usual_width(corridors, 0, corridors.size())](const ClockCorridor& one) {
        return std::abs(one.width()) > std::abs(usual);
      });
    const std::size_t way = std::max<std::size_t>(1, std::min(longest, corridors.size() / ClockTuning::kFewestWays));
    std::vector<double> slopes;
    for (std::size_t k = way; k < corridors.size(); ++k) {
      const ClockCorridor &one = corridors[k - way], &other = corridors[k];
      slopes.push_back((other.middle() - one.middle()) / (other.at - one.at));
    }
    if (slopes.empty()) return slope;
    slope += median(std::move(slopes), 0);
  }
  return slope;
}

/// Whether enough windows have limits on both sides that do not contradict each other.
bool find_corridors(ClockView& view) {
  view.begin = kInfinity;
  for (const ClockLimit& one : view.limits) view.begin = std::min(view.begin, one.at);
  if (view.limits.size() <= ClockTuning::kFewestMoves) return false;
  const auto slope = usual_slope(view.limits, view.begin, view.window_ns);
  if (!slope) return false;
  view.slope = *slope;
  view.clean = corridors_of(view.limits, view.begin, view.window_ns, view.slope);
  std::erase_if(view.clean, [](const ClockCorridor& one) { return !one.is_clean(); });
  return view.clean.size() > ClockTuning::kFewestMoves;
}

}  // namespace

double usual_width(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t count) {
  std::vector<double> widths;
  for (std::size_t k = first; k < first + count; ++k) widths.push_back(corridors[k].width());
  return median(std::move(widths), 0);
}

CollectivesOfDomains::CollectivesOfDomains(const ClockSamples& samples) : sides_(samples.domains()) {
  for (std::size_t i = 0; i < samples.collectives().size(); ++i)
    for (const CollectiveSide& side : samples.collectives()[i]) sides_[side.domain].push_back({i, &side});
}

std::optional<ClockView> view_of(const ClockSamples& samples, const CollectivesOfDomains* collectives,
                                 const PairSamples& pair, const ClockCorrection& correction, bool is_axis_low) {
  const bool is_rare = std::min(pair.sides[0].size(), pair.sides[1].size()) <= ClockTuning::kFewestMoves;
  if (collectives == nullptr && is_rare) return std::nullopt;
  ClockView view;
  view.limits = limits_of(pair, correction, is_axis_low);
  view.window_ns = static_cast<double>(samples.window_ns());
  if (collectives != nullptr) add_waits(*collectives, pair, correction, is_axis_low, view.limits);
  for (double factor = 1; !find_corridors(view); factor *= ClockTuning::kWiderWindows) {
    if (collectives == nullptr || factor > ClockTuning::kWidestWindows) return std::nullopt;
    view.window_ns *= ClockTuning::kWiderWindows;
  }
  const std::size_t moves = view.clean.size() - 1;
  // How far a corridor moved beyond what the widths allow.
  const auto excess = [&](std::size_t k) {
    const ClockCorridor &one = view.clean[k], &next = view.clean[k + 1];
    return std::abs(next.middle() - one.middle()) - (one.width() + next.width()) / 2;
  };
  view.steps.assign(moves, false);
  for (std::size_t k = 0; k < moves; ++k) {
    double least = ClockTuning::kLeastStepNs + ClockTuning::kWander * (view.clean[k + 1].at - view.clean[k].at);
    for (std::size_t q = k >= ClockTuning::kAround ? k - ClockTuning::kAround : 0;
         q <= std::min(k + ClockTuning::kAround, moves - 1); ++q)
      if (q != k) least = std::max(least, ClockTuning::kIsolated * excess(q));
    view.steps[k] = excess(k) > least;
  }
  return view;
}

double slope_of(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t last) {
  const std::size_t quarter = (last - first + 1) / ClockTuning::kSlopeShare;
  if (quarter == 0) return 0;
  double middles[2], times[2];
  for (const bool is_last : {false, true}) {
    const std::size_t begin = is_last ? last + 1 - quarter : first;
    const double usual = usual_width(corridors, begin, quarter);
    std::vector<double> values, moments;
    for (std::size_t k = begin; k < begin + quarter; ++k) {
      if (corridors[k].width() > usual) continue;
      values.push_back(corridors[k].middle());
      moments.push_back(corridors[k].at);
    }
    middles[is_last] = median(std::move(values), 0);
    times[is_last] = median(std::move(moments), 0);
  }
  const double way = times[1] - times[0];
  return way > 0 ? (middles[1] - middles[0]) / way : 0;
}

ClockCorridor common_corridor(const std::vector<ClockCorridor>& corridors, std::size_t nearest, std::size_t farthest,
                              double slope, double moment) {
  ClockCorridor common;
  const std::size_t count = (nearest < farthest ? farthest - nearest : nearest - farthest) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const ClockCorridor& one = corridors[nearest < farthest ? nearest + i : nearest - i];
    const double way = slope * (moment - one.at), wander = ClockTuning::kSlowWander * std::abs(moment - one.at);
    const ClockCorridor next{moment, std::min(common.upper, one.upper + way + wander),
                             std::max(common.lower, one.lower + way - wander)};
    if (i > 0 && !next.is_clean()) break;
    common = next;
  }
  return common;
}

}  // namespace meridian
