// SPDX-License-Identifier: Apache-2.0
#pragma once

// The controlled logical clock and its ramps, the slow and obvious way: all in memory, again and again over everything
// until nothing changes.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "clocks/random_program.hpp"

namespace meridian::test {

class Oracle {
 public:
  explicit Oracle(const Program& program) : program_{program} {
    for (const auto& thread : program.threads) calls_.push_back(thread.calls);
    for (std::size_t t = 0; t < calls_.size(); ++t) {
      const auto rank = static_cast<std::size_t>(program.threads[t].rank);
      if (points_.size() <= rank) points_.resize(rank + 1);
      for (std::size_t e = 0; e < calls_[t].size(); ++e) {
        points_[rank].push_back({t, e, false, calls_[t][e].enter_ns, {}, {}});
        points_[rank].push_back({t, e, true, calls_[t][e].leave_ns, {}, {}});
      }
    }
    for (auto& points : points_)
      std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    link();
  }

  std::vector<std::vector<TimePair>> solve() {
    while (sweep_forward()) {
    }
    const auto forward = calls_;
    for (const auto& points : points_) ramp(points, forward);
    return calls_;
  }

 private:
  struct Point {
    std::size_t thread = 0;
    std::size_t event = 0;
    bool is_leave = false;
    std::int64_t x = 0;
    std::vector<std::pair<std::size_t, std::size_t>> follows;  // enters, for a leave
    std::vector<std::pair<std::size_t, std::size_t>> before;   // leaves, for an enter
  };

  std::pair<std::size_t, std::size_t> place(const EventRef& ref) const {
    std::size_t t = 0;
    while (program_.threads[t].rank != ref.rank || program_.threads[t].thread != ref.thread) ++t;
    return {t, static_cast<std::size_t>(ref.event)};
  }

  Point& point(const EventRef& ref, bool is_leave) {
    const auto [t, e] = place(ref);
    auto& points = points_[static_cast<std::size_t>(ref.rank)];
    for (Point& p : points)
      if (p.thread == t && p.event == e && p.is_leave == is_leave) return p;
    std::abort();
  }

  void link() {
    const auto edge = [this](const EventRef& enter, const EventRef& leave) {
      point(leave, true).follows.push_back(place(enter));
      point(enter, false).before.push_back(place(leave));
    };
    for (const MatchedMessage& message : program_.messages) edge(message.send, message.completion);
    for (const CollectivePart& from : program_.parts)
      for (const CollectivePart& to : program_.parts) {
        if (Program::must_follow(to, from)) edge(from.start, to.completion);
        // In these two shapes the bound of an enter on the way up is stricter than necessary: the first exit that follows
        // the enter of any participant.
        if (from.instance == to.instance && from.shape == to.shape &&
            (to.shape == CollectiveShape::all_to_all || (to.shape == CollectiveShape::prefix && to.comm_rank > 0)))
          point(from.start, false).before.push_back(place(to.completion));
      }
  }

  std::int64_t& value(const Point& p) {
    TimePair& pair = calls_[p.thread][p.event];
    return p.is_leave ? pair.leave_ns : pair.enter_ns;
  }

  bool sweep_forward() {
    bool has_changed = false;
    for (const auto& points : points_) {
      std::int64_t x_before = points.front().x, v_before = points.front().x, spare = 0;
      for (const Point& p : points) {
        std::int64_t v = p.x;
        if (v_before > x_before) {
          const std::int64_t length = p.x - x_before;
          spare += length;
          std::int64_t loss = 0;
          while (loss < length - 1 && spare >= 1000) {
            ++loss;
            spare -= 1000;
          }
          v = std::max(v, v_before + length - loss);
        }
        for (const auto& [t, e] : p.follows) v = std::max(v, calls_[t][e].enter_ns + 1);
        if (v == p.x) spare = 0;
        has_changed = has_changed || value(p) != v;
        value(p) = v;
        x_before = p.x;
        v_before = v;
      }
    }
    return has_changed;
  }

  void ramp(const std::vector<Point>& points, const std::vector<std::vector<TimePair>>& forward) {
    std::int64_t move_after = 0, x_after = points.back().x, spare = 0;
    for (auto p = points.rbegin(); p != points.rend(); ++p) {
      const std::int64_t own = value(*p) - p->x;
      std::int64_t wanted = 0;
      if (move_after > 0) {
        spare += x_after - p->x;
        wanted = std::max<std::int64_t>(move_after - spare / 100, 0);
        spare %= 100;
      }
      for (const auto& [t, e] : p->before) wanted = std::min(wanted, forward[t][e].leave_ns - 1 - p->x);
      if (wanted <= own) spare = 0;
      move_after = std::max(own, wanted);
      value(*p) = p->x + move_after;
      x_after = p->x;
    }
  }

  const Program& program_;
  std::vector<std::vector<TimePair>> calls_;  // [threads]
  std::vector<std::vector<Point>> points_;    // [ranks], by time
};

}  // namespace meridian::test
