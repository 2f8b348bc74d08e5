// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_hull.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

struct Point {
  double x = 0, y = 0;
};

/// The lower convex hull, by x.
std::vector<Point> lower_hull(std::vector<Point> points) {
  std::ranges::sort(points, [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<Point> hull;
  for (const Point& p : points) {
    if (!hull.empty() && hull.back().x == p.x) continue;
    while (hull.size() >= 2) {
      const Point& a = hull[hull.size() - 2];
      const Point& b = hull.back();
      if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  return hull;
}

double lowest(const std::vector<Point>& points, double slope) {
  double least = std::numeric_limits<double>::infinity();
  for (const Point& p : points) least = std::min(least, p.y - slope * p.x);
  return least;
}

struct PairLine {
  double offset = 0, slope = 0;
  bool is_two_way = false;
};

/// The line in the middle of the corridor between lower bounds (-up) and upper bounds (down) of a correction.
PairLine line_between(const std::vector<Point>& up, const std::vector<Point>& down) {
  PairLine line;
  line.is_two_way = !up.empty() && !down.empty();
  if (line.is_two_way) {
    // The height of the corridor is a concave function of the slope.
    const auto height = [&](double slope) { return lowest(down, slope) + lowest(up, -slope); };
    double low = -ClockTuning::kSteepest, high = ClockTuning::kSteepest;
    while (high - low > ClockTuning::kFlattest) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (height(a) < height(b) ? low : high) = height(a) < height(b) ? a : b;
    }
    line.slope = (low + high) / 2;
    line.offset = (lowest(down, line.slope) - lowest(up, -line.slope)) / 2;
    return line;
  }
  // One direction: along its hull in the middle of the run. The slope of a short hull shows only how delays vary.
  const std::vector<Point>& hull = up.empty() ? down : up;
  const double sign = up.empty() ? 1 : -1;
  const double middle = (hull.front().x + hull.back().x) / 2;
  std::size_t i = 1;
  while (i + 1 < hull.size() && hull[i].x < middle) ++i;
  const double slope = hull.size() >= 2 ? (hull[i].y - hull[i - 1].y) / (hull[i].x - hull[i - 1].x) : 0;
  const double kept = std::clamp(slope, -ClockTuning::kSteepestOneWay, ClockTuning::kSteepestOneWay);
  return {sign * lowest(hull, kept), sign * kept, false};
}

/// Bounds from collectives: a domain entered before the placed domains left, and left after they had entered.
struct Waits {
  std::vector<Point> up, down;
};

class Placing {
 public:
  Placing(const ClockSamples& samples, std::vector<HullLine>& lines)
      : samples_{samples}, lines_{lines}, pairs_of_(lines.size()) {
    const std::span<const PairSamples> pairs = samples.pairs();
    for (std::uint32_t e = 0; e < pairs.size(); ++e) {
      pairs_of_[pairs[e].low].push_back(e);
      pairs_of_[pairs[e].high].push_back(e);
    }
  }

  void run() {
    do spread(true);
    while (place_by_collectives() || spread(false));
  }

 private:
  bool is_two_way(const PairSamples& pair) const { return pair.sides[0].size() != 0 && pair.sides[1].size() != 0; }

  /// Places domains along pairs with messages both ways, as far as they reach, or along pairs with messages one way,
  /// one pair far. Returns whether any domain was placed.
  bool spread(bool is_both_ways) {
    std::deque<std::uint32_t> front;
    bool has_placed = false;
    for (std::uint32_t h = 0; h < lines_.size(); ++h)
      if (lines_[h].is_placed) front.push_back(h);
    for (; !front.empty(); front.pop_front()) {
      const std::uint32_t known = front.front();
      for (const std::uint32_t e : pairs_of_[known]) {
        const PairSamples& pair = samples_.pairs()[e];
        const std::uint32_t next = pair.low == known ? pair.high : pair.low;
        if (lines_[next].is_placed || is_two_way(pair) != is_both_ways) continue;
        const PairLine line = line_against(known, pair);
        lines_[next] = {line.offset, line.slope, true, lines_[known].is_two_way && line.is_two_way};
        has_placed = true;
        if (is_both_ways) front.push_back(next);
      }
    }
    return has_placed;
  }

  double corrected(std::uint32_t domain, std::int64_t time_ns) const {
    const auto since = static_cast<double>(time_ns - samples_.origin_ns());
    return since + lines_[domain].offset_ns + lines_[domain].slope * since;
  }

  /// The line of a pair's other domain against the placed one. Times are those of the other domain: its first line may be seconds
  /// away from that of the placed one.
  PairLine line_against(std::uint32_t known, const PairSamples& pair) const {
    const int forth = pair.low == known ? 0 : 1;
    std::vector<Point> up, down;
    for (const ClockPoint& point : pair.sides[forth].points()) {
      const auto received = static_cast<double>(point.sent_ns + point.delay_ns - samples_.origin_ns());
      up.push_back({received, received - corrected(known, point.sent_ns)});
    }
    for (const ClockPoint& point : pair.sides[1 - forth].points()) {
      const auto sent = static_cast<double>(point.sent_ns - samples_.origin_ns());
      down.push_back({sent, corrected(known, point.sent_ns + point.delay_ns) - sent});
    }
    return line_between(lower_hull(std::move(up)), lower_hull(std::move(down)));
  }

  /// Places the lowest domain that shares collectives with placed ones.
  bool place_by_collectives() {
    if (std::ranges::all_of(lines_, &HullLine::is_placed)) return false;
    std::map<std::uint32_t, Waits> waits;
    for (const std::vector<CollectiveSide>& sides : samples_.collectives()) {
      const auto [last_enter, first_exit] = collective_ends(
          sides, [&](std::uint32_t domain) { return lines_[domain].is_placed; },
          [&](std::uint32_t domain, std::int64_t ns) { return corrected(domain, ns); });
      for (const CollectiveSide& side : sides) {
        if (lines_[side.domain].is_placed || !std::isfinite(last_enter)) continue;
        const auto enter = static_cast<double>(side.last_enter_ns - samples_.origin_ns());
        const auto exit = static_cast<double>(side.first_exit_ns - samples_.origin_ns());
        Waits& own = waits[side.domain];
        own.up.push_back({exit, exit - last_enter});
        own.down.push_back({enter, first_exit - enter});
      }
    }
    if (waits.empty()) return false;
    auto& [domain, own] = *waits.begin();
    const PairLine line = line_between(lower_hull(std::move(own.up)), lower_hull(std::move(own.down)));
    lines_[domain] = {line.offset, line.slope, true, true};
    return true;
  }

  const ClockSamples& samples_;
  std::vector<HullLine>& lines_;
  std::vector<std::vector<std::uint32_t>> pairs_of_;
};

}  // namespace

std::vector<HullLine> hull_lines(const ClockSamples& samples, std::vector<HullLine> lines) {
  Placing{samples, lines}.run();
  return lines;
}

}  // namespace meridian
