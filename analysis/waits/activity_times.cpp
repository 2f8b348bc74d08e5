// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/activity_times.hpp"

#include <algorithm>
#include <utility>

namespace meridian {

void Amounts::add_to_many(std::uint32_t key, std::int64_t ns) {
  const auto [at, is_new] = places_.try_emplace(key, list_.size());
  if (is_new)
    list_.push_back({key, ns});
  else
    list_[at->second].ns += ns;
}

void Amounts::index() {
  for (std::size_t i = 0; i < list_.size(); ++i) places_[list_[i].key] = i;
}

void Amounts::sort_into(std::vector<Amount>& list) const {
  list = list_;
  std::ranges::sort(list, {}, &Amount::key);
}

void ActivityTimes::begin_interval(const Instant& instant) {
  if (!kept_.empty() && kept_.back().end == instant) return;
  Interval next;
  if (kept_.size() == kMostIntervals) {
    next = std::move(kept_.front());  // its memory is used again
    kept_.pop_front();
    old_activities_.add(next.activities);
    old_causes_.add(next.causes);
  }
  next.end = instant;
  activities_.sort_into(next.activities);
  causes_.sort_into(next.causes);
  kept_.push_back(std::move(next));
  activities_.clear();
  causes_.clear();
}

std::optional<ActivityTimes::Instant> ActivityTimes::last_common(const ActivityTimes& a, const ActivityTimes& b) {
  for (auto own = a.kept_.rbegin(); own != a.kept_.rend(); ++own)
    for (auto other = b.kept_.rbegin(); other != b.kept_.rend() && other->end.time_ns >= own->end.time_ns; ++other)
      if (other->end == own->end) return own->end;
  return std::nullopt;
}

void ActivityTimes::sum_since(const std::optional<Instant>& instant, std::int64_t sign, Amounts& activities,
                              Amounts& causes) const {
  activities.add(activities_, sign);
  causes.add(causes_, sign);
  for (auto interval = kept_.rbegin(); interval != kept_.rend(); ++interval) {
    if (instant && interval->end == *instant) return;
    activities.add(interval->activities, sign);
    causes.add(interval->causes, sign);
  }
  activities.add(old_activities_, sign);
  causes.add(old_causes_, sign);
}

}  // namespace meridian
