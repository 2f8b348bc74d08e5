// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "field_clocks.hpp"

namespace meridian::test {
namespace {

constexpr double kSteepest = 1e-3;   // ns/ns; clocks differ by less
constexpr int kBisections = 60;      // of a range of slopes
constexpr double kFlattest = 1e-15;  // ns/ns: nothing in a run of an hour

/// The lower convex hull of points, with `sign` -1 the upper one.
std::vector<HullPoint> hull_of(std::span<const HullPoint> points, double sign) {
  std::vector<HullPoint> sorted{points.begin(), points.end()}, hull;
  std::ranges::stable_sort(sorted, {}, &HullPoint::at_ns);
  for (const HullPoint& point : sorted) {
    while (hull.size() >= 2) {
      const HullPoint &a = hull[hull.size() - 2], &b = hull.back();
      const double turn = (b.at_ns - a.at_ns) * (point.difference_ns - a.difference_ns) -
                          (b.difference_ns - a.difference_ns) * (point.at_ns - a.at_ns);
      if (sign * turn > 0) break;
      hull.pop_back();
    }
    hull.push_back(point);
  }
  return hull;
}

/// The lines of a slope that lie between both hulls.
class Corridor {
 public:
  Corridor(std::span<const HullPoint> at_least, std::span<const HullPoint> at_most)
      : lower_{hull_of(at_least, -1)}, upper_{hull_of(at_most, 1)} {}

  double bottom(double slope) const {
    double highest = -std::numeric_limits<double>::infinity();
    for (const HullPoint& one : lower_) highest = std::max(highest, one.difference_ns - slope * one.at_ns);
    return highest;
  }
  double top(double slope) const {
    double lowest = std::numeric_limits<double>::infinity();
    for (const HullPoint& one : upper_) lowest = std::min(lowest, one.difference_ns - slope * one.at_ns);
    return lowest;
  }
  double height(double slope) const { return top(slope) - bottom(slope); }

  /// Height is a concave function of the slope.
  double widest() const {
    double low = -kSteepest, high = kSteepest;
    while (high - low > kFlattest) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      if (a <= low || b >= high) break;
      (height(a) < height(b) ? low : high) = height(a) < height(b) ? a : b;
    }
    return (low + high) / 2;
  }
  /// The last slope from `inside` towards `outside` that leaves a line.
  double extreme(double inside, double outside) const {
    for (int i = 0; i < kBisections; ++i) {
      const double slope = (inside + outside) / 2;
      (height(slope) >= 0 ? inside : outside) = slope;
    }
    return inside;
  }

 private:
  std::vector<HullPoint> lower_, upper_;
};

}  // namespace

HullLineOfDuda duda_line(std::span<const HullPoint> at_least, std::span<const HullPoint> at_most) {
  const HullPoint base = at_least.front();  // differences from it keep their digits
  const auto moved = [&](std::span<const HullPoint> points) {
    std::vector<HullPoint> result;
    for (const HullPoint& one : points)
      result.push_back({one.at_ns - base.at_ns, one.difference_ns - base.difference_ns});
    return result;
  };
  const Corridor corridor{moved(at_least), moved(at_most)};
  const double widest = corridor.widest();
  HullLineOfDuda result;
  result.exists = corridor.height(widest) >= 0;
  const double flattest = result.exists ? corridor.extreme(widest, -kSteepest) : widest;
  const double steepest = result.exists ? corridor.extreme(widest, kSteepest) : widest;
  const auto offset = [&](double slope) { return (corridor.bottom(slope) + corridor.top(slope)) / 2; };
  result.line = {base.at_ns, base.difference_ns + (offset(flattest) + offset(steepest)) / 2, (flattest + steepest) / 2};
  return result;
}

FieldClocks duda_hull(const SimulatedRun& run, int& without) {
  const int hosts = run.scenario.hosts;
  std::vector<ClockLine> lines(static_cast<std::size_t>(hosts));
  const auto place = [&](int parent, int child) {
    std::vector<HullPoint> at_least, at_most;
    for (const MatchedMessage& message : run.messages) {
      const int from = run.host_of(message.send.rank), to = run.host_of(message.completion.rank);
      const auto sent = static_cast<double>(message.send_enter_ns);
      const auto received = static_cast<double>(message.receive_leave_ns);
      if (from == parent && to == child) at_least.push_back({received, sent - received});
      if (from == child && to == parent) at_most.push_back({sent, received - sent});
    }
    const HullLineOfDuda own = duda_line(at_least, at_most);
    without += own.exists ? 0 : 1;
    lines[static_cast<std::size_t>(child)] = own.line.then(lines[static_cast<std::size_t>(parent)]);
  };
  for (int h = 1; h <= hosts / 2; ++h) place(h - 1, h);
  for (int h = hosts - 1; h > hosts / 2; --h) place((h + 1) % hosts, h);
  return {lines.begin(), lines.end()};
}

}  // namespace meridian::test
