// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_samples.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

/// Collectives kept per window: with many domains, one bounds as much as several with few.
std::size_t kept_of_a_window(std::size_t domains) {
  return domains > ClockTuning::kManyDomains ? ClockTuning::kCollectivesPerWindowOfMany
                                             : ClockTuning::kCollectivesPerWindow;
}

/// later - earlier, or the largest number where that overflows: times of a damaged file.
std::int64_t between(std::int64_t earlier, std::int64_t later) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(later, earlier, &difference) ? std::numeric_limits<std::int64_t>::max() : difference;
}

}  // namespace

ClockSamples::ClockSamples(std::size_t domains, std::int64_t window_ns, std::size_t most_windows,
                           std::uint64_t most_cells)
    : domains_{domains},
      most_windows_{most_windows != 0 ? most_windows
                                      : std::clamp(ClockTuning::kMostWindowsOfAll / std::max<std::size_t>(domains, 1),
                                                   ClockTuning::kFewestWindows, ClockTuning::kMostWindows)},
      most_cells_{most_cells},
      window_ns_{window_ns != 0                        ? window_ns
                 : domains > ClockTuning::kManyDomains ? ClockTuning::kWindowFactorOfMany * ClockTuning::kWindowNs
                                                       : ClockTuning::kWindowNs},
      next_look_{most_cells} {}

void ClockSamples::see(std::int64_t time_ns) {
  if (!has_origin_) {
    has_origin_ = true;
    begin_ns_ = end_ns_ = time_ns;
    origin_ns_ = time_ns - window_ns_;
  }
  begin_ns_ = std::min(begin_ns_, time_ns);
  end_ns_ = std::max(end_ns_, time_ns);
  if (time_ns < origin_ns_) move_origin(time_ns);
}

/// Messages come almost in order of time, and exchanges after them, of which those at the start may be far earlier than the
/// first message. Corrections are only defined from the origin on, so it moves to the earliest time. It moves by as many
/// windows as are in use, at least: samples that come in the reverse order of time do not move it each time.
void ClockSamples::move_origin(std::int64_t time_ns) {
  const std::int64_t before = between(time_ns, origin_ns_);
  const auto needed = [&] { return static_cast<std::uint64_t>(before / window_ns_) + 1; };
  while (needed() + used_windows_ >= most_windows_) double_windows();
  const std::uint64_t room = most_windows_ - used_windows_ - 1;
  const auto by = static_cast<std::int64_t>(std::max(needed(), std::min<std::uint64_t>(used_windows_, room)));
  std::int64_t distance_ns = 0, origin = 0;
  if (__builtin_mul_overflow(by, window_ns_, &distance_ns) || __builtin_sub_overflow(origin_ns_, distance_ns, &origin))
    return;  // times of a damaged file
  origin_ns_ = origin;
  has_moved_origin_ = true;
  renumber_windows(by);
}

void ClockSamples::renumber_windows(std::int64_t by) {
  for (PairSamples& pair : pairs_)
    for (ClockCells& side : pair.sides) side.renumber(by);
  if (by > 0 && !collectives_.empty())
    collectives_.insert(collectives_.begin(), static_cast<std::size_t>(by), std::vector<Collective>{});
  last_window_ += static_cast<std::uint32_t>(by);
  used_windows_ += static_cast<std::uint32_t>(by);
}

std::uint32_t ClockSamples::window_of(std::int64_t time_ns) {
  const std::int64_t since = time_ns > origin_ns_ ? between(origin_ns_, time_ns) : 0;
  if (since / window_ns_ == last_window_) return last_window_;
  for (;; double_windows()) {
    const std::int64_t window = since / window_ns_;
    if (static_cast<std::uint64_t>(window) >= most_windows_) continue;
    last_window_ = static_cast<std::uint32_t>(window);
    used_windows_ = std::max(used_windows_, last_window_ + 1);
    return last_window_;
  }
}

void ClockSamples::bound_cells() {
  std::uint64_t cells = 0;
  for (;; double_windows()) {
    cells = 0;
    for (const PairSamples& pair : pairs_) cells += pair.sides[0].size() + pair.sides[1].size();
    if (cells <= most_cells_ || end_ns_ - origin_ns_ < ClockTuning::kFewestUsedWindows * window_ns_) break;
  }
  next_look_ =
      messages_ + std::max(most_cells_ / ClockTuning::kCellLookShare, most_cells_ - std::min(cells, most_cells_));
}

void ClockSamples::double_windows() {
  for (PairSamples& pair : pairs_)
    for (ClockCells& side : pair.sides) side.double_windows();
  const std::size_t most = kept_of_a_window(domains_);
  for (std::size_t i = 1; i < collectives_.size(); ++i) {
    std::vector<Collective>& into = collectives_[i / 2];
    std::vector<Collective> later = std::exchange(collectives_[i], {});
    if (i % 2 == 0) {
      into = std::move(later);
      continue;
    }
    std::ranges::move(later, std::back_inserter(into));
    std::ranges::stable_sort(into, {}, &Collective::wait_ns);
    if (into.size() > most) into.resize(most);
  }
  collectives_.resize((collectives_.size() + 1) / 2);
  last_window_ /= 2;
  used_windows_ = (used_windows_ + 1) / 2;
  window_ns_ *= 2;
}

std::uint32_t ClockSamples::pair(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(a, b);
  const HandleKey key{std::uint64_t{low} << 32 | high};
  std::uint32_t place = pair_of_.find(key);
  if (place == IndexMap<HandleKey>::kNone) {
    place = static_cast<std::uint32_t>(pairs_.size());
    pair_of_.set(key, place);
    pairs_.push_back({low, high, {}});
  }
  return place;
}

void ClockSamples::add(const DomainMessage& message) {
  std::int64_t flight_ns = 0;
  if (__builtin_sub_overflow(message.received_ns, message.sent_ns, &flight_ns)) return;  // times of a damaged file
  see(message.sent_ns);
  see(message.received_ns);
  const std::uint32_t place = pair(message.from, message.to), side = message.from < message.to ? 0 : 1;
  pairs_[place].sides[side].prefetch();
  waiting_[arrived_ % ClockTuning::kWaiting] = {{message.sent_ns, flight_ns}, place, side};
  ++arrived_;
  if (arrived_ - taken_ > ClockTuning::kWaiting / 2) {
    const Waiting& soon = waiting_[(arrived_ - ClockTuning::kWaiting / 2) % ClockTuning::kWaiting];
    pairs_[soon.pair].sides[soon.side].prefetch_points();
  }
  if (arrived_ - taken_ == ClockTuning::kWaiting) take(waiting_[taken_++ % ClockTuning::kWaiting]);
}

void ClockSamples::take(const Waiting& message) {
  const std::uint32_t window = window_of(message.point.sent_ns);
  pairs_[message.pair].sides[message.side].add(window, message.point);
  if (++messages_ >= next_look_) bound_cells();
}

void ClockSamples::add_collective(std::span<const CollectiveSide> sides) {
  std::int64_t last_enter = sides.front().last_enter_ns, first_exit = sides.front().first_exit_ns;
  for (const CollectiveSide& side : sides) {
    last_enter = std::max(last_enter, side.last_enter_ns);
    first_exit = std::min(first_exit, side.first_exit_ns);
  }
  see(last_enter);
  see(first_exit);
  const std::size_t window = window_of(last_enter);
  if (collectives_.size() <= window) collectives_.resize(window + 1);
  std::vector<Collective>& kept = collectives_[window];
  const std::int64_t wait = first_exit - last_enter;
  const auto place = std::ranges::upper_bound(kept, wait, {}, &Collective::wait_ns);
  if (kept.size() == kept_of_a_window(domains_)) {
    if (place == kept.end()) return;
    std::move_backward(place, kept.end() - 1, kept.end());
    *place = {wait, {sides.begin(), sides.end()}};
  } else {
    kept.insert(place, {wait, {sides.begin(), sides.end()}});
  }
}

void ClockSamples::seal() {
  while (taken_ < arrived_) take(waiting_[taken_++ % ClockTuning::kWaiting]);
  for (PairSamples& pair : pairs_)
    for (ClockCells& side : pair.sides) side.seal();
  for (auto& window : collectives_)
    for (Collective& one : window) kept_.push_back(std::move(one.sides));
  collectives_.clear();
  if (has_moved_origin_) {  // farther than was needed
    const std::int64_t unused = between(origin_ns_, begin_ns_) / window_ns_;
    origin_ns_ += unused * window_ns_;
    renumber_windows(-unused);
  }
  std::ranges::sort(pairs_, [](const PairSamples& a, const PairSamples& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  pair_of_.clear();
}

}  // namespace meridian
