#include "merger/clocks/clock_views.hpp"

#include <algorithm>
#include <utility>

#include "merger/clocks/clock_spare.hpp"

namespace meridian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFewestMoves = 6;  // of a corridor: fewer do not tell what is usual
constexpr std::size_t kAround = 3;       // moves on either side with which one is compared
constexpr double kIsolated = 4;          // times as large as those
constexpr double kMostRuns = 4;          // as long as the run: times within reach

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// All limits of a pair on the corrected time of one of its domains, but for stamps that are out of all reason.
std::vector<ClockLimit> limits_of(const PairSamples& pair, const ClockResidual& residual, bool is_axis_low) {
  const double length = residual.step_ns * static_cast<double>(residual.knots - 1);
  const std::uint32_t axis = is_axis_low ? pair.low : pair.high;
  std::vector<ClockLimit> limits;
  for (int direction = 0; direction < 2; ++direction) {
    const bool is_upper = pair.from(direction) == axis;
    ClockSpare spare{residual, pair.from(direction), pair.to(direction)};
    for (const ClockPoint& point : pair.sides[direction].points()) {
      const ClockSpare::Message one = spare(point);
      if (!std::isfinite(one.slack_ns)) continue;
      const double at = is_upper ? one.sent_ns : one.received_ns;
      if (std::abs(at - residual.begin_ns) > kMostRuns * length) continue;
      const double raw = static_cast<double>(is_upper ? point.sent_ns + point.delay_ns : point.sent_ns);
      limits.push_back({at + residual.at(axis, at), is_upper ? one.slack_ns : -one.slack_ns, raw, is_upper});
    }
  }
  return limits;
}

/// Corridors by window, of values without a slope; those of windows in which nothing was sent both ways are left out.
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

/// How fast one clock goes away from the other, as most windows have it. In windows a slope is as wide as it is steep:
/// once it is known roughly, and has been taken out, it is measured over longer ways, but not so long that steps lie
/// on most of them; between corridors that are not wider than usual, which tell most.
std::optional<double> usual_slope(const std::vector<ClockLimit>& limits, double begin, double window_ns) {
  constexpr std::size_t kWays[] = {1, 4, 16};  // corridors
  constexpr std::size_t kFewestWays = 8;       // of a run
  double slope = 0;
  for (const std::size_t longest : kWays) {
    std::vector<ClockCorridor> corridors = corridors_of(limits, begin, window_ns, slope);
    if (corridors.size() <= kFewestMoves) return std::nullopt;
    if (longest > 1)
      std::erase_if(corridors, [usual = usual_width(corridors, 0, corridors.size())](const ClockCorridor& one) {
        return std::abs(one.width()) > std::abs(usual);
      });
    const std::size_t way = std::max<std::size_t>(1, std::min(longest, corridors.size() / kFewestWays));
    std::vector<double> slopes;
    for (std::size_t k = way; k < corridors.size(); ++k) {
      const ClockCorridor &one = corridors[k - way], &other = corridors[k];
      slopes.push_back((other.middle() - one.middle()) / (other.at - one.at));
    }
    if (slopes.empty()) return slope;
    slope += median(std::move(slopes));
  }
  return slope;
}

}  // namespace

double usual_width(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t count) {
  std::vector<double> widths;
  for (std::size_t k = first; k < first + count; ++k) widths.push_back(corridors[k].width());
  return median(std::move(widths));
}

std::optional<ClockView> view_of(const ClockSamples& samples, const PairSamples& pair, const ClockResidual& residual,
                                 bool is_axis_low) {
  const auto window_ns = static_cast<double>(samples.window_ns());
  ClockView view;
  if (std::min(pair.sides[0].size(), pair.sides[1].size()) <= kFewestMoves) return std::nullopt;
  view.limits = limits_of(pair, residual, is_axis_low);
  view.begin = kInfinity;
  for (const ClockLimit& one : view.limits) view.begin = std::min(view.begin, one.at);
  const auto slope = usual_slope(view.limits, view.begin, window_ns);
  if (!slope) return std::nullopt;
  view.slope = *slope;
  view.clean = corridors_of(view.limits, view.begin, window_ns, view.slope);
  std::erase_if(view.clean, [](const ClockCorridor& one) { return !one.is_clean(); });
  if (view.clean.size() <= kFewestMoves) return std::nullopt;
  const std::size_t moves = view.clean.size() - 1;
  // How far it has moved at least: more than the widths allow.
  const auto excess = [&](std::size_t k) {
    const ClockCorridor &one = view.clean[k], &next = view.clean[k + 1];
    return std::abs(next.middle() - one.middle()) - (one.width() + next.width()) / 2;
  };
  view.steps.assign(moves, false);
  for (std::size_t k = 0; k < moves; ++k) {
    double least = ClockView::kLeastStepNs + ClockView::kWander * (view.clean[k + 1].at - view.clean[k].at);
    for (std::size_t q = k >= kAround ? k - kAround : 0; q <= std::min(k + kAround, moves - 1); ++q)
      if (q != k) least = std::max(least, kIsolated * excess(q));
    view.steps[k] = excess(k) > least;
  }
  return view;
}

double slope_of(const std::vector<ClockCorridor>& corridors, std::size_t first, std::size_t last) {
  const std::size_t quarter = (last - first + 1) / 4;
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
    middles[is_last] = median(std::move(values));
    times[is_last] = median(std::move(moments));
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
    const double way = slope * (moment - one.at), wander = ClockView::kSlowWander * std::abs(moment - one.at);
    const ClockCorridor next{moment, std::min(common.upper, one.upper + way + wander),
                             std::max(common.lower, one.lower + way - wander)};
    if (i > 0 && !next.is_clean()) break;
    common = next;
  }
  return common;
}

}  // namespace meridian
