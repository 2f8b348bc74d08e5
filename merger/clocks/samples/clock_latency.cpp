// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_latency.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "merger/clocks/samples/median.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// The least sum of two hulls, at the times of the first one's points.
double least_sum(std::span<const ClockPoint> at, std::span<const ClockPoint> hull) {
  double least = kInfinity;
  std::size_t right = 0;
  for (const ClockPoint& point : at) {
    if (point.sent_ns < hull.front().sent_ns || point.sent_ns > hull.back().sent_ns) continue;
    while (hull[right].sent_ns < point.sent_ns) ++right;
    auto value = static_cast<double>(hull[right].delay_ns);
    if (right > 0) {
      const ClockPoint &before = hull[right - 1], &after = hull[right];
      const double share =
          static_cast<double>(point.sent_ns - before.sent_ns) / static_cast<double>(after.sent_ns - before.sent_ns);
      value = static_cast<double>(before.delay_ns) * (1 - share) + value * share;
    }
    least = std::min(least, static_cast<double>(point.delay_ns) + value);
  }
  return least;
}

}  // namespace

double least_round_trip(const PairSamples& pair) {
  const ClockCells &forth = pair.sides[0], &back = pair.sides[1];
  const std::size_t stride = forth.cells().size() / ClockTuning::kMostRoundTripWindows + 1;
  double least = kInfinity;
  auto other = back.cells().begin();
  for (std::size_t i = 0; i < forth.cells().size(); i += stride) {
    const ClockCell& cell = forth.cells()[i];
    other = std::ranges::lower_bound(other, back.cells().end(), cell.window, {}, &ClockCell::window);
    if (other == back.cells().end()) break;
    if (other->window != cell.window) continue;
    const auto one_way = forth.points(cell), other_way = back.points(*other);
    least = std::min({least, least_sum(one_way, other_way), least_sum(other_way, one_way)});
  }
  return least;
}

double usual_latency(const ClockSamples& samples, std::span<const double> halves, double otherwise) {
  std::vector<double> least(samples.domains(), kInfinity);
  for (std::size_t e = 0; e < samples.pairs().size(); ++e) {
    if (!(halves[e] > 0)) continue;
    const PairSamples& pair = samples.pairs()[e];
    for (const std::uint32_t domain : {pair.low, pair.high}) least[domain] = std::min(least[domain], halves[e]);
  }
  std::erase(least, kInfinity);
  return median(std::move(least), otherwise);
}

}  // namespace meridian
