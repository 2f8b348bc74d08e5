// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_cells.hpp"

#include <algorithm>
#include <utility>

#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

/// later - earlier. Times of a damaged file may overflow: then it is some number.
double difference(std::int64_t later, std::int64_t earlier) noexcept {
  return static_cast<double>(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier)));
}

/// Whether b lies on or above the line from a to c. Times and delays within a window are far below 2^53.
bool is_above_line(const ClockPoint& a, const ClockPoint& b, const ClockPoint& c) noexcept {
  const auto time = [&](const ClockPoint& p) { return difference(p.sent_ns, a.sent_ns); };
  const auto delay = [&](const ClockPoint& p) { return difference(p.delay_ns, a.delay_ns); };
  return delay(b) * time(c) >= delay(c) * time(b);
}

/// Grows by a quarter instead of doubling, because there are many long lists.
template <class Item>
void make_room(std::vector<Item>& list, std::size_t more) {
  if (list.capacity() - list.size() < more) list.reserve(list.size() + std::max(more, list.size() / 4 + 4));
}

}  // namespace

bool ClockHull::is_above(const ClockPoint& point) const noexcept {
  if (hull_ < 2 || point.sent_ns < points_[0].sent_ns || point.sent_ns > points_[hull_ - 1].sent_ns) return false;
  std::size_t next = 1;
  while (points_[next].sent_ns < point.sent_ns) ++next;
  return is_above_line(points_[next - 1], point, points_[next]);
}

void ClockHull::add(const ClockPoint& point) {
  if (is_above(point)) return;
  points_.push_back(point);
  if (points_.size() - hull_ >= ClockTuning::kHullBuffer) seal();
}

void ClockHull::seal() {
  if (points_.size() == hull_) return;
  const auto is_before = [](const ClockPoint& a, const ClockPoint& b) {
    return a.sent_ns != b.sent_ns ? a.sent_ns < b.sent_ns : a.delay_ns < b.delay_ns;
  };
  if (!std::is_sorted(points_.begin(), points_.end(), is_before)) std::sort(points_.begin(), points_.end(), is_before);
  std::size_t size = 0;
  for (const ClockPoint point : points_) {
    if (size > 0 && points_[size - 1].sent_ns == point.sent_ns) continue;
    while (size >= 2 && is_above_line(points_[size - 2], points_[size - 1], point)) --size;
    points_[size++] = point;
  }
  points_.resize(size);
  while (points_.size() > ClockTuning::kMostHullPoints)
    points_.erase(std::max_element(points_.begin(), points_.end(),
                                   [](const ClockPoint& a, const ClockPoint& b) { return a.delay_ns < b.delay_ns; }));
  hull_ = points_.size();
}

void ClockHull::clear() noexcept {
  points_.clear();
  hull_ = 0;
}

void ClockCells::Store::append(std::uint32_t window, std::uint32_t messages, std::span<const ClockPoint> added) {
  make_room(cells, 1);
  make_room(points, added.size());
  cells.push_back(
      {window, messages, static_cast<std::uint32_t>(points.size()), static_cast<std::uint32_t>(added.size())});
  points.insert(points.end(), added.begin(), added.end());
}

void ClockCells::close(Open& open) {
  if (open.messages == 0) return;
  open.hull.seal();
  const bool is_next = sealed_.cells.empty() || sealed_.cells.back().window < open.window;
  (is_next ? sealed_ : late_).append(open.window, open.messages, open.hull.points());
  open.messages = 0;
  open.hull.clear();
}

void ClockCells::add(std::uint32_t window, const ClockPoint& point) {
  Open* oldest = &open_[0];
  for (Open& open : open_) {
    if (open.messages != 0 && open.window == window) {
      ++open.messages;
      open.hull.add(point);
      return;
    }
    const bool is_older = open.messages == 0 || open.window < oldest->window;
    if (oldest->messages != 0 && is_older) oldest = &open;
  }
  if (oldest->messages != 0 && window < oldest->window) {
    late_.append(window, 1, {&point, 1});
    if (late_.cells.size() >= std::max(ClockTuning::kLateCellsWorthAMerge, sealed_.cells.size())) merge_late();
    return;
  }
  close(*oldest);
  oldest->window = window;
  oldest->messages = 1;
  oldest->hull.add(point);
}

void ClockCells::merge_late() {
  std::vector<ClockCell> cells = std::move(sealed_.cells);
  const auto from_late = static_cast<std::uint32_t>(cells.size());
  cells.insert(cells.end(), late_.cells.begin(), late_.cells.end());
  for (std::size_t i = from_late; i < cells.size(); ++i)
    cells[i].first += static_cast<std::uint32_t>(sealed_.points.size());
  const std::vector<ClockPoint> early_points = std::move(sealed_.points), late_points = std::move(late_.points);
  const auto points_of = [&](const ClockCell& cell) {
    const bool is_late = cell.first >= early_points.size();
    return is_late ? std::span{late_points}.subspan(cell.first - early_points.size(), cell.points)
                   : std::span{early_points}.subspan(cell.first, cell.points);
  };
  sealed_ = late_ = {};
  std::ranges::stable_sort(cells, {}, &ClockCell::window);
  ClockHull hull;
  for (std::size_t i = 0, next = 0; i < cells.size(); i = next) {
    std::uint32_t messages = 0;
    for (next = i; next < cells.size() && cells[next].window == cells[i].window; ++next)
      messages += cells[next].messages;
    if (next == i + 1) {
      sealed_.append(cells[i].window, messages, points_of(cells[i]));
      continue;
    }
    hull.clear();
    for (std::size_t same = i; same < next; ++same)
      for (const ClockPoint& point : points_of(cells[same])) hull.add(point);
    hull.seal();
    sealed_.append(cells[i].window, messages, hull.points());
  }
}

void ClockCells::double_windows() {
  // Windows closed out of order would have to be merged.
  if (open_[0].window > open_[1].window) std::swap(open_[0], open_[1]);
  for (Open& open : open_) close(open);
  for (Store* store : {&sealed_, &late_})
    for (ClockCell& cell : store->cells) cell.window /= 2;
  merge_late();
}

void ClockCells::renumber(std::int64_t by) noexcept {
  const auto moved = [&](std::uint32_t window) { return static_cast<std::uint32_t>(window + by); };
  for (Open& open : open_) open.window = moved(open.window);
  for (Store* store : {&sealed_, &late_})
    for (ClockCell& cell : store->cells) cell.window = moved(cell.window);
}

void ClockCells::seal() {
  if (open_[0].window > open_[1].window) std::swap(open_[0], open_[1]);
  for (Open& open : open_) close(open);
  open_ = {};
  if (!late_.cells.empty()) merge_late();
  sealed_.cells.shrink_to_fit();
  sealed_.points.shrink_to_fit();
}

}  // namespace meridian
