#include "merger/clocks/clock_samples.hpp"

#include <algorithm>
#include <utility>

namespace meridian {
namespace {

constexpr std::uint32_t kLoose = 24;         // points that a cell gathers before it makes a hull of them
constexpr std::size_t kMostHull = 12;        // vertices; a hull of random delays rarely has as many
constexpr std::size_t kCollectives = 4;      // kept of each window
constexpr std::size_t kMostKnots = 1 << 22;  // over all domains
constexpr std::size_t kFewestWindows = 512;
constexpr std::size_t kMostWindows = 1 << 16;

/// Whether b lies on or above the line from a to c. Times and delays within a window are far below 2^53.
bool is_above(const ClockPoint& a, const ClockPoint& b, const ClockPoint& c) noexcept {
  const auto time = [&](const ClockPoint& p) { return static_cast<double>(p.sent_ns - a.sent_ns); };
  const auto delay = [&](const ClockPoint& p) { return static_cast<double>(p.delay_ns - a.delay_ns); };
  return delay(b) * time(c) >= delay(c) * time(b);
}

}  // namespace

bool ClockCell::is_above_hull(const ClockPoint& point) const noexcept {
  if (hull_ < 2 || point.sent_ns < points_[0].sent_ns || point.sent_ns > points_[hull_ - 1].sent_ns) return false;
  std::uint32_t next = 1;
  while (points_[next].sent_ns < point.sent_ns) ++next;
  return is_above(points_[next - 1], point, points_[next]);
}

void ClockCell::add(const ClockPoint& point) {
  ++messages_;
  if (is_above_hull(point)) return;
  points_.push_back(point);
  if (points_.size() - hull_ >= kLoose) seal();
}

void ClockCell::seal() {
  if (points_.size() == hull_) return;
  std::sort(points_.begin(), points_.end(), [](const ClockPoint& a, const ClockPoint& b) {
    return a.sent_ns != b.sent_ns ? a.sent_ns < b.sent_ns : a.delay_ns < b.delay_ns;
  });
  std::size_t size = 0;
  for (const ClockPoint point : points_) {
    if (size > 0 && points_[size - 1].sent_ns == point.sent_ns) continue;
    while (size >= 2 && is_above(points_[size - 2], points_[size - 1], point)) --size;
    points_[size++] = point;
  }
  points_.resize(size);
  while (points_.size() > kMostHull)
    points_.erase(std::max_element(points_.begin(), points_.end(),
                                   [](const ClockPoint& a, const ClockPoint& b) { return a.delay_ns < b.delay_ns; }));
  hull_ = static_cast<std::uint32_t>(points_.size());
}

void ClockCell::join(ClockCell& later) {
  const std::uint32_t messages = messages_ + later.messages_;
  for (const ClockPoint& point : later.points_) add(point);
  messages_ = messages;
  later = {};
}

ClockSamples::ClockSamples(std::size_t domains, std::int64_t window_ns, std::size_t most_windows)
    : domains_{domains},
      most_windows_{most_windows != 0
                        ? most_windows
                        : std::clamp(kMostKnots / std::max<std::size_t>(domains, 1), kFewestWindows, kMostWindows)},
      window_ns_{window_ns} {}

void ClockSamples::see(std::int64_t time_ns) noexcept {
  begin_ns_ = std::min(begin_ns_, time_ns);
  end_ns_ = std::max(end_ns_, time_ns);
}

std::size_t ClockSamples::window_of(std::int64_t time_ns) {
  if (!has_origin_) {
    has_origin_ = true;
    begin_ns_ = end_ns_ = time_ns;
    origin_ns_ = time_ns - window_ns_;
  }
  // What lies before the first window belongs to it: the order in which messages come follows time but for a moment.
  for (;; double_windows()) {
    const std::int64_t window = std::max<std::int64_t>(time_ns - origin_ns_, 0) / window_ns_;
    if (static_cast<std::uint64_t>(window) < most_windows_) return static_cast<std::size_t>(window);
  }
}

void ClockSamples::double_windows() {
  const auto halve = [](auto& list, auto&& join) {
    for (std::size_t i = 1; i < list.size(); ++i)
      if (i % 2 == 1)
        join(list[i / 2], list[i]);
      else
        list[i / 2] = std::exchange(list[i], {});
    list.resize((list.size() + 1) / 2);
  };
  for (PairSamples& pair : pairs_)
    for (auto& cells : pair.cells) halve(cells, [](ClockCell& into, ClockCell& later) { into.join(later); });
  halve(collectives_, [](auto& into, auto& later) {
    for (Collective& one : later) into.push_back(std::move(one));
    std::ranges::stable_sort(into, {}, &Collective::wait_ns);
    if (into.size() > kCollectives) into.resize(kCollectives);
    later.clear();
  });
  window_ns_ *= 2;
}

PairSamples& ClockSamples::pair(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(a, b);
  const std::uint64_t key = std::uint64_t{low} << 32 | high;
  if (key == last_key_) return pairs_[last_pair_];
  const auto [place, is_new] = pair_of_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({low, high, {}});
  last_key_ = key;
  last_pair_ = place->second;
  return pairs_[last_pair_];
}

void ClockSamples::add(const DomainMessage& message) {
  const std::size_t window = window_of(message.sent_ns);
  see(message.sent_ns);
  see(message.received_ns);
  ++messages_;
  PairSamples& samples = pair(message.from, message.to);
  std::vector<ClockCell>& cells = samples.cells[message.from < message.to ? 0 : 1];
  if (cells.size() <= window) cells.resize(window + 1);
  cells[window].add({message.sent_ns, message.received_ns - message.sent_ns});
}

void ClockSamples::add_collective(std::span<const CollectiveSide> sides) {
  std::int64_t last_enter = sides.front().last_enter_ns, first_exit = sides.front().first_exit_ns;
  for (const CollectiveSide& side : sides) {
    last_enter = std::max(last_enter, side.last_enter_ns);
    first_exit = std::min(first_exit, side.first_exit_ns);
  }
  const std::size_t window = window_of(last_enter);
  see(last_enter);
  see(first_exit);
  if (collectives_.size() <= window) collectives_.resize(window + 1);
  std::vector<Collective>& kept = collectives_[window];
  const std::int64_t wait = first_exit - last_enter;
  const auto place = std::ranges::upper_bound(kept, wait, {}, &Collective::wait_ns);
  if (kept.size() == kCollectives) {
    if (place == kept.end()) return;
    std::move_backward(place, kept.end() - 1, kept.end());
    *place = {wait, {sides.begin(), sides.end()}};
  } else {
    kept.insert(place, {wait, {sides.begin(), sides.end()}});
  }
}

void ClockSamples::seal() {
  for (PairSamples& pair : pairs_)
    for (auto& cells : pair.cells)
      for (ClockCell& cell : cells) cell.seal();
  for (auto& window : collectives_)
    for (Collective& one : window) kept_.push_back(std::move(one.sides));
  collectives_.clear();
  std::ranges::sort(pairs_, [](const PairSamples& a, const PairSamples& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  pair_of_.clear();
}

}  // namespace meridian
