// SPDX-License-Identifier: Apache-2.0
#include "analysis/paths/path_shares.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostKeys = 1 << 16;
constexpr std::size_t kMostSegments = 1000;
constexpr std::size_t kMostPathRows = 1 << 16;
constexpr std::int64_t kMostLineRows = 1 << 13;

}  // namespace

PathShares::PathShares(const MergedDefinitions& definitions, PathSamples& samples, std::int64_t begin_ns,
                       std::int64_t end_ns, std::uint64_t visits, Visits next)
    : definitions_{definitions},
      samples_{samples},
      places_{definitions},
      begin_ns_{begin_ns},
      end_ns_{end_ns},
      next_{std::move(next)},
      threads_(definitions.locations.size()) {
  if (visits > static_cast<std::uint64_t>(kMostLineRows)) least_drawn_ns_ = (end_ns - begin_ns) / kMostLineRows + 1;
  (void)number({});
}

std::uint32_t PathShares::number(const Key& key) {
  std::uint32_t& recent = recent_.of(key);
  if (recent == kUnknownNumber) recent = found_number(key);
  return recent;
}

std::uint32_t PathShares::found_number(const Key& key) {
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  if (keys_.size() >= kMostKeys && (key.place != 0 || key.region != kNoCall))
    return found_number({key.call, 0, kNoCall, key.state});
  numbers_[key] = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
  sums_.emplace_back();
  return static_cast<std::uint32_t>(keys_.size() - 1);
}

/// Visits that are too short to be seen belong to the one before them.
void PathShares::draw(const PathVisit& visit) {
  if (!line_.empty() && (line_.back().location == visit.location || visit.end_ns - visit.begin_ns < least_drawn_ns_))
    line_.back().end_ns = visit.end_ns;
  else
    line_.push_back(visit);
}

Status PathShares::read_visits(std::int64_t until_ns) {
  while (!is_at_end_) {
    if (ahead_ == nullptr) {
      MERIDIAN_TRY(ahead_, next_());
      is_at_end_ = ahead_ == nullptr;
      if (is_at_end_) break;
    }
    if (ahead_->begin_ns >= until_ns) break;
    draw(*ahead_);
    if (ahead_->is_before_begin)
      take(ahead_->location, 0, ahead_->begin_ns, ahead_->end_ns);
    else
      threads_[ahead_->location].visits.push_back(*ahead_);
    ahead_ = nullptr;
  }
  return {};
}

void PathShares::keep(const Segment& segment) {
  if (segment.end_ns <= segment.begin_ns) return;
  ++on_path_[std::uint64_t{segment.location} << 32 | segment.key].segments;
  if (longest_.size() == kMostSegments) {
    if (!(segment > longest_.front())) return;
    std::ranges::pop_heap(longest_, std::greater<>{});
    longest_.pop_back();
  }
  longest_.push_back(segment);
  std::ranges::push_heap(longest_, std::greater<>{});
}

void PathShares::take(std::uint32_t location, std::uint32_t key, std::int64_t begin_ns, std::int64_t end_ns) {
  if (begin_ns >= end_ns) return;
  if (on_path_.size() >= kMostPathRows && !on_path_.contains(std::uint64_t{location} << 32 | key))
    key = number({kNoCall, 0, kNoCall, keys_[key].state});
  on_path_[std::uint64_t{location} << 32 | key].ns += end_ns - begin_ns;
  sums_[key].path_ns += end_ns - begin_ns;
  Segment& last = threads_[location].last;
  if (last.key == key && last.end_ns == begin_ns && last.end_ns > last.begin_ns) {
    last.end_ns = end_ns;
    return;
  }
  keep(last);
  last = {begin_ns, end_ns, location, key};
}

Status PathShares::add(const Tile& tile) {
  const std::uint32_t key = number({tile.call, places_.of_site(tile.site), tile.region, tile.state});
  sums_[key].run_ns += tile.end_ns - tile.begin_ns;
  MERIDIAN_TRY_DO(read_visits(tile.end_ns));
  std::deque<PathVisit>& visits = threads_[tile.location].visits;
  const bool computes =
      tile.call == kNoCall && (tile.state == LocationState::compute || tile.state == LocationState::ready);
  while (!visits.empty() && visits.front().begin_ns < tile.end_ns) {
    PathVisit& visit = visits.front();
    take(tile.location, 0, visit.begin_ns, std::min(visit.end_ns, tile.begin_ns));
    const std::int64_t from_ns = std::max(visit.begin_ns, tile.begin_ns), to_ns = std::min(visit.end_ns, tile.end_ns);
    take(tile.location, key, from_ns, to_ns);
    if (computes) MERIDIAN_TRY_DO(samples_.add(tile.location, from_ns, to_ns));
    visit.begin_ns = std::min(visit.end_ns, tile.end_ns);
    if (visit.begin_ns < visit.end_ns) break;
    visits.pop_front();
  }
  return {};
}

template <class Row>
void PathShares::describe(std::uint32_t key, Row& row) const {
  row.function = definitions_.call_name(keys_[key].call);
  row.place = places_.name(keys_[key].place);
  row.region = definitions_.call_name(keys_[key].region);
  row.state = state_name(keys_[key].state);
}

Status PathShares::finish(std::size_t threads, Summary& summary) {
  MERIDIAN_TRY_DO(read_visits(end_ns_));
  for (Thread& thread : threads_) {
    for (const PathVisit& visit : thread.visits) take(visit.location, 0, visit.begin_ns, visit.end_ns);
    keep(thread.last);
  }
  const auto length = static_cast<double>(end_ns_ - begin_ns_);
  const auto& locations = definitions_.locations;
  const auto names = [](const auto& row) { return std::tie(row.function, row.place, row.region, row.state); };

  for (const auto& [at, sums] : on_path_) {
    CriticalPathSummary& row = summary.critical_path.emplace_back();
    const MergedLocation& location = locations[at >> 32];
    row.rank = location.rank;
    row.thread = location.thread;
    describe(static_cast<std::uint32_t>(at), row);
    row.segments = sums.segments;
    row.total_s = seconds(sums.ns);
    row.share = static_cast<double>(sums.ns) / length;
  }
  std::ranges::sort(summary.critical_path, [&](const CriticalPathSummary& a, const CriticalPathSummary& b) {
    if (a.total_s != b.total_s) return a.total_s > b.total_s;
    return std::tuple_cat(std::tie(a.rank, a.thread), names(a)) < std::tuple_cat(std::tie(b.rank, b.thread), names(b));
  });

  for (std::uint32_t key = 0; key < keys_.size(); ++key) {
    if (sums_[key].path_ns == 0) continue;
    CriticalImbalanceSummary& row = summary.critical_imbalance.emplace_back();
    describe(key, row);
    row.path_s = seconds(sums_[key].path_ns);
    row.mean_s = threads == 0 ? 0 : seconds(sums_[key].run_ns) / static_cast<double>(threads);
    row.imbalance_s = row.path_s - row.mean_s;
  }
  std::ranges::sort(summary.critical_imbalance,
                    [&](const CriticalImbalanceSummary& a, const CriticalImbalanceSummary& b) {
                      return a.imbalance_s != b.imbalance_s ? a.imbalance_s > b.imbalance_s : names(a) < names(b);
                    });

  std::ranges::sort(longest_, std::greater<>{});
  for (const Segment& segment : longest_) {
    CriticalSegmentSummary& row = summary.critical_segments.emplace_back();
    row.rank = locations[segment.location].rank;
    row.thread = locations[segment.location].thread;
    row.begin_s = seconds(segment.begin_ns - begin_ns_);
    row.duration_s = seconds(segment.length_ns());
    describe(segment.key, row);
  }
  for (const PathVisit& visit : line_)
    summary.critical_line.push_back(
        {locations[visit.location].rank, locations[visit.location].thread, visit.begin_ns, visit.end_ns});
  samples_.finish(end_ns_ - begin_ns_, summary);
  return {};
}

}  // namespace meridian
