#pragma once

// Of the messages that go one way between two clock domains, those that bound the clocks.

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

/// Points of one window while they come: the lower convex hull of delay over time. Whatever two straight lines correct
/// the clocks by in that window, the smallest corrected delay is one of these.
class ClockHull {
 public:
  void add(const ClockPoint& point);
  /// After the last one.
  void seal();
  void clear() noexcept;
  std::span<const ClockPoint> points() const noexcept { return points_; }
  void prefetch() const noexcept {
    __builtin_prefetch(points_.data());
    __builtin_prefetch(points_.data() + points_.size());
  }

 private:
  bool is_above(const ClockPoint& point) const noexcept;

  std::vector<ClockPoint> points_;  // the first hull_ are a hull, by time; the others are as they came
  std::size_t hull_ = 0;
};

/// A window in which messages were sent.
struct ClockCell {
  std::uint32_t window = 0;
  std::uint32_t messages = 0;
  std::uint32_t first = 0;  ///< of its points
  std::uint32_t points = 0;
};

/// Windows without messages take no memory, a message that has its window for itself 32 bytes, and a window with any
/// number of them some hundred. Messages may come in any order; those that come by time cost least.
class ClockCells {
 public:
  void add(std::uint32_t window, const ClockPoint& point);
  /// Before add(), when that is still some way off: fetches what it will read, and then what it will write.
  void prefetch() const noexcept {
    for (const Open& open : open_) __builtin_prefetch(&open);
  }
  void prefetch_points() const noexcept {
    for (const Open& open : open_) open.hull.prefetch();
  }
  /// Windows become twice as long.
  void double_windows();
  /// Makes one sorted list of all; before anything is read.
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
    std::uint32_t messages = 0;  // 0: not in use
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
  Store late_;                // what came after its window had been sealed
};

}  // namespace meridian
