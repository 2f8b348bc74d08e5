// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_samples.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

/// Collectives kept per window: with many domains, one bounds as much as several with few.
std::size_t kept_of_a_window(std::size_t domains) {
  return domains > ClockTuning::kManyDomains ? ClockTuning::kCollectivesPerWindowOfMany
                                             : ClockTuning::kCollectivesPerWindow;
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

void ClockSamples::see(std::int64_t time_ns) noexcept {
  if (!has_origin_) {
    has_origin_ = true;
    begin_ns_ = end_ns_ = time_ns;
    origin_ns_ = time_ns - window_ns_;
  }
  begin_ns_ = std::min(begin_ns_, time_ns);
  end_ns_ = std::max(end_ns_, time_ns);
}

std::uint32_t ClockSamples::window_of(std::int64_t time_ns) {
  const std::int64_t since = time_ns - origin_ns_;
  if (since / window_ns_ == last_window_) return last_window_;
  // Messages arrive almost in order of time; those from before the first window are counted in it.
  for (;; double_windows()) {
    const std::int64_t window = std::max<std::int64_t>(since, 0) / window_ns_;
    if (static_cast<std::uint64_t>(window) < most_windows_) return last_window_ = static_cast<std::uint32_t>(window);
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
  window_ns_ *= 2;
}

std::uint32_t ClockSamples::pair(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(a, b);
  const HandleKey key{std::uint64_t{low} << 32 | high};
  std::uint32_t place = pair_of_.find(key);
  if (place == pair_of_.kNone) {
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
  std::ranges::sort(pairs_, [](const PairSamples& a, const PairSamples& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  pair_of_.clear();
}

}  // namespace meridian
