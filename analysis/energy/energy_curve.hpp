// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace meridian {

/// The energy that was used until each time; even between readings. Of many readings only each second, each fourth and so on is kept.
class EnergyCurve {
 public:
  static constexpr std::size_t kMostPoints = 4096;

  /// In order of time.
  void add(std::int64_t time_ns, double joules) {
    last_ = {time_ns, joules};
    if (seen_++ % step_ != 0) return;
    if (points_.size() == kMostPoints) {
      for (std::size_t i = 0; i < kMostPoints / 2; ++i) points_[i] = points_[2 * i];
      points_.resize(kMostPoints / 2);
      step_ *= 2;
    }
    points_.push_back(last_);
  }
  bool empty() const noexcept { return points_.empty(); }
  /// Times of the first and the last point; the curve has points.
  std::int64_t begin_ns() const noexcept { return points_.front().time_ns; }
  std::int64_t end_ns() const noexcept { return last_.time_ns; }

  /// Energy used until that time, within the readings. 0 without any.
  double at(std::int64_t time_ns) const {
    if (empty()) return 0;
    if (time_ns <= begin_ns()) return points_.front().joules;
    if (time_ns >= end_ns()) return last_.joules;
    const auto next = std::ranges::upper_bound(points_, time_ns, {}, &Point::time_ns);
    const Point& before = *(next - 1);
    const Point& after = next == points_.end() ? last_ : *next;
    const double part =
        static_cast<double>(time_ns - before.time_ns) / static_cast<double>(after.time_ns - before.time_ns);
    return before.joules + part * (after.joules - before.joules);
  }
  double between(std::int64_t begin_ns, std::int64_t end_ns) const { return at(end_ns) - at(begin_ns); }

 private:
  struct Point {
    std::int64_t time_ns = 0;
    double joules = 0;
  };
  std::vector<Point> points_;
  Point last_;
  std::uint64_t seen_ = 0, step_ = 1;
};

}  // namespace meridian
