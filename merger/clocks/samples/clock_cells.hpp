// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages in one direction between two clock domains, reduced to those that bound the clocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace meridian {

struct ClockPoint {
  std::int64_t sent_ns = 0;
  std::int64_t delay_ns = 0;  ///< received minus sent
};

/// The lower convex hull of delay over time, for the messages of one window, built as they arrive. If both clocks are
/// corrected by straight lines in that window, the smallest corrected delay is always on the hull.
class ClockHull {
 public:
  void add(const ClockPoint& point);
  /// Call after the last point.
  void seal();
  void clear() noexcept;
  std::span<const ClockPoint> points() const noexcept { return points_; }
  void prefetch() const noexcept {
    __builtin_prefetch(points_.data());
    __builtin_prefetch(points_.data() + points_.size());
  }

 private:
  bool is_above(const ClockPoint& point) const noexcept;

  std::vector<ClockPoint> points_;  // the first hull_ form a hull, by time; the others are in order of arrival
  std::size_t hull_ = 0;
};

/// A window that contains messages.
struct ClockCell {
  std::uint32_t window = 0;
  std::uint32_t messages = 0;
  std::uint32_t first = 0;  ///< index of its first point
  std::uint32_t points = 0;
};

/// Windows without messages take no memory, a window with one message takes 32 bytes, and a window with any number of
/// messages about a hundred. Messages may arrive in any order; arrival in order of time is cheapest.
class ClockCells {
 public:
  void add(std::uint32_t window, const ClockPoint& point);
  /// Prefetch, some time before add(): first the list of open windows, then with prefetch_points() their points.
  void prefetch() const noexcept {
    for (const Open& open : open_) __builtin_prefetch(&open);
  }
  void prefetch_points() const noexcept {
    for (const Open& open : open_) open.hull.prefetch();
  }
  /// Doubles the length of the windows.
  void double_windows();
  /// Adds `by` to the number of every window.
  void renumber(std::int64_t by) noexcept;
  /// Merges everything into one list sorted by window. Call before reading.
  void seal();

  std::size_t size() const noexcept { return sealed_.cells.size() + late_.cells.size(); }
  std::span<const ClockCell> cells() const noexcept { return sealed_.cells; }     ///< by window
  std::span<const ClockPoint> points() const noexcept { return sealed_.points; }  ///< of all cells, one after the other
  std::span<const ClockPoint> points(const ClockCell& cell) const noexcept {
    return points().subspan(cell.first, cell.points);
  }

 private:
  struct Open {
    std::uint32_t window = 0;
    std::uint32_t messages = 0;  // 0: unused
    ClockHull hull;
  };
  struct Store {
    std::vector<ClockCell> cells;
    std::vector<ClockPoint> points;
    void append(std::uint32_t window, std::uint32_t messages, std::span<const ClockPoint> added);
  };
  void close(Open& open);
  void merge_late();

  std::array<Open, 2> open_;  // the latest windows
  Store sealed_;              // by window
  Store late_;                // messages that arrived after their window had been closed
};

}  // namespace meridian
