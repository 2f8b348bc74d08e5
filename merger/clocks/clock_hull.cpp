#include "merger/clocks/clock_hull.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

namespace meridian {
namespace {

constexpr double kSteepest = 1e-3;
constexpr double kFlattest = 1e-14;  // steps of the search end here

struct Point {
  double x = 0, y = 0;
};

/// The lower hull, points by x.
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

std::vector<Point> delays(const ClockSamples& samples, const PairSamples& pair, int direction) {
  std::vector<Point> points;
  for (const ClockPoint& point : pair.sides[direction].points())
    points.push_back({static_cast<double>(point.sent_ns - samples.origin_ns()), static_cast<double>(point.delay_ns)});
  return lower_hull(std::move(points));
}

double lowest(const std::vector<Point>& points, double slope) {
  double least = std::numeric_limits<double>::infinity();
  for (const Point& p : points) least = std::min(least, p.y - slope * p.x);
  return least;
}

struct Step {
  double offset = 0, slope = 0, spare = 0;
  bool is_two_way = false;
};

/// z_high - z_low: at least -(delay of low to high), at most the delay of high to low.
Step step_of(const ClockSamples& samples, const PairSamples& pair) {
  const std::vector<Point> up = delays(samples, pair, 0), down = delays(samples, pair, 1);
  Step step;
  step.is_two_way = !up.empty() && !down.empty();
  if (step.is_two_way) {
    // The height of the corridor is concave in the slope.
    const auto height = [&](double slope) { return lowest(down, slope) + lowest(up, -slope); };
    double low = -kSteepest, high = kSteepest;
    while (high - low > kFlattest) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (height(a) < height(b) ? low : high) = height(a) < height(b) ? a : b;
    }
    step.slope = (low + high) / 2;
    step.offset = (lowest(down, step.slope) - lowest(up, -step.slope)) / 2;
    step.spare = height(step.slope) / 2;
    return step;
  }
  // One direction: along its hull, in the middle of the run.
  const std::vector<Point>& hull = up.empty() ? down : up;
  const double sign = up.empty() ? 1 : -1;
  const double middle = (hull.front().x + hull.back().x) / 2;
  std::size_t i = 1;
  while (i + 1 < hull.size() && hull[i].x < middle) ++i;
  if (hull.size() >= 2) step.slope = sign * (hull[i].y - hull[i - 1].y) / (hull[i].x - hull[i - 1].x);
  step.offset = sign * hull[hull.size() >= 2 ? i : 0].y - step.slope * hull[hull.size() >= 2 ? i : 0].x;
  return step;
}

}  // namespace

std::vector<HullLine> hull_lines(const ClockSamples& samples, std::vector<HullLine> lines) {
  const std::span<const PairSamples> pairs = samples.pairs();
  std::vector<std::vector<std::uint32_t>> pairs_of(lines.size());
  for (std::uint32_t e = 0; e < pairs.size(); ++e) {
    pairs_of[pairs[e].low].push_back(e);
    pairs_of[pairs[e].high].push_back(e);
  }
  const auto is_two_way = [&](const PairSamples& pair) {
    return pair.sides[0].size() != 0 && pair.sides[1].size() != 0;
  };
  for (const bool wants_two_way : {true, false}) {
    std::deque<std::uint32_t> front;
    for (std::uint32_t h = 0; h < lines.size(); ++h)
      if (lines[h].is_placed) front.push_back(h);
    for (; !front.empty(); front.pop_front()) {
      const std::uint32_t known = front.front();
      for (const std::uint32_t e : pairs_of[known]) {
        const PairSamples& pair = pairs[e];
        const std::uint32_t next = pair.low == known ? pair.high : pair.low;
        if (lines[next].is_placed || is_two_way(pair) != wants_two_way) continue;
        const Step step = step_of(samples, pair);
        const double sign = next == pair.high ? 1 : -1;
        lines[next] = {lines[known].offset_ns + sign * step.offset, lines[known].slope + sign * step.slope, true,
                       lines[known].is_two_way && step.is_two_way, step.spare};
        front.push_back(next);
      }
    }
  }
  return lines;
}

}  // namespace meridian
