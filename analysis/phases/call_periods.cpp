// SPDX-License-Identifier: Apache-2.0
#include "analysis/phases/call_periods.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace meridian {
namespace {

constexpr double kLeastCover = 0.05;    // of the run
constexpr double kMostOverlap = 0.1;    // of a period with another one that was found before
constexpr double kLikeLongest = 0.75;   // of the longest period: as long, and thus perhaps a loop around it
constexpr std::size_t kLeastRanks = 2;  // that make a call, if not all do
constexpr double kMostVariation = 0.5;  // standard deviation / mean of the number of calls in an iteration

/// The time of all iterations: the last one is assumed to be as long as the others.
double covered_ns(const CallPeriod& period) {
  const auto count = static_cast<double>(period.count);
  return static_cast<double>(period.last_ns - period.first_ns) * count / (count - 1);
}

double overlap_ns(const CallPeriod& a, const CallPeriod& b) {
  return static_cast<double>(std::min(a.last_ns, b.last_ns) - std::max(a.first_ns, b.first_ns));
}

/// Which of two periods of about the same length is the better one: a region of the user, the outer one, a collective.
bool is_better(const CallPeriod& a, const CallPeriod& b) {
  const auto rank_of = [](const CallPeriod& period) {
    return std::tuple{period.kind != MarkerKind::region,
                      -static_cast<std::ptrdiff_t>(period.ranks.size()),
                      period.count,
                      period.kind != MarkerKind::collective,
                      period.key.site == CallKey::kAnyPlace,
                      period.of_runs,
                      period.first_ns,
                      period.key};
  };
  return rank_of(a) < rank_of(b);
}

}  // namespace

bool CallPeriods::Series::is_regular() const noexcept {
  const auto distances = static_cast<double>(count - 1);
  const double mean = gaps / distances;
  return squares / distances - mean * mean <= kMostVariation * kMostVariation * mean * mean;
}

void CallPeriods::Series::add(std::uint64_t number, std::int64_t ns) noexcept {
  if (count == 0) {
    first_ns = ns;
  } else {
    const auto gap = static_cast<double>(number - last_number);
    gaps += gap;
    squares += gap * gap;
  }
  last_ns = ns;
  last_number = number;
  ++count;
}

const CallPeriods::Place* CallPeriods::Rank::find(const CallKey& key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? nullptr : &places[found->second];
}

std::uint32_t CallPeriods::Rank::number_of(const CallKey& key) {
  const auto [at, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(places.size()));
  if (is_new) places.push_back({.key = key});
  return at->second;
}

/// Programs repeat themselves: mostly the place that came after this one the last time.
std::uint32_t CallPeriods::Rank::number_after_last(const CallKey& key) {
  const std::uint32_t expected = places[last].next;
  if (places[expected].key == key) return expected;
  const std::uint32_t number = number_of(key);
  places[last].next = number;
  return number;
}

void CallPeriods::add(std::size_t rank, const CallKey& key, MarkerKind kind, std::int64_t ns) {
  Rank& calls = ranks_[rank];
  const std::uint64_t number = calls.calls++;
  const std::uint32_t here = number == 0 ? calls.number_of(key) : calls.number_after_last(key);
  Place& place = calls.places[here];
  if (place.calls.count == 0) kinds_.try_emplace(key, kind);
  place.calls.add(number, ns);
  if (number == 0 || calls.last != here) place.runs.add(number, ns);
  calls.last = here;
  if (kind != MarkerKind::collective) return;
  const CallKey any{.call = key.call, .site = CallKey::kAnyPlace};
  Place& all = calls.places[calls.number_of(any)];
  if (all.calls.count == 0) kinds_.try_emplace(any, kind);
  all.calls.add(number, ns);
}

/// Whether a rank calls a function from a place from which another rank does not: the ranks' calls may still be one collective.
bool CallPeriods::has_own_places(std::uint32_t call) const {
  for (auto entry = kinds_.lower_bound({.call = call}); entry != kinds_.end() && entry->first.call == call; ++entry)
    for (const Rank& rank : ranks_)
      if (rank.find(entry->first) == nullptr) return true;
  return false;
}

bool CallPeriods::describe(CallPeriod& period, bool must_be_regular) const {
  bool is_first = true;
  period.ranks.clear();
  for (const Rank& rank : ranks_) {
    const Place* const found = rank.find(period.key);
    if (found == nullptr) continue;
    period.ranks.push_back(static_cast<std::size_t>(&rank - ranks_.data()));
    const Series& series = period.of_runs ? found->runs : found->calls;
    if (series.count < kLeastCount || (must_be_regular && !series.is_regular())) return false;
    if (is_first) {
      period.count = series.count;
      period.first_ns = series.first_ns;
      period.last_ns = series.last_ns;
    }
    if (series.count != period.count) return false;
    period.first_ns = std::min(period.first_ns, series.first_ns);
    period.last_ns = std::max(period.last_ns, series.last_ns);
    is_first = false;
  }
  const std::size_t count = period.ranks.size();
  return (count == ranks_.size() || (count >= kLeastRanks && 2 * count >= ranks_.size())) &&
         period.last_ns > period.first_ns;
}

std::vector<CallPeriod> CallPeriods::regions() const {
  std::vector<CallPeriod> found;
  for (const auto& [key, kind] : kinds_) {
    CallPeriod period{.key = key, .kind = kind};
    if (kind == MarkerKind::region && describe(period, false)) found.push_back(period);
  }
  std::ranges::stable_sort(found, std::greater{}, covered_ns);
  if (found.size() > kMostRegions) found.resize(kMostRegions);
  return found;
}

std::vector<CallPeriod> CallPeriods::find(std::int64_t run_ns) const {
  std::vector<CallPeriod> open, found;
  for (const auto& [key, kind] : kinds_) {
    const bool is_of_any_place = key.site == CallKey::kAnyPlace;
    if (is_of_any_place && !has_own_places(key.call)) continue;
    CallPeriod period{.key = key, .kind = kind};
    bool is_period = describe(period);
    if (!is_period && kind != MarkerKind::region && !is_of_any_place) {
      period.of_runs = true;
      is_period = describe(period);
    }
    if (is_period && covered_ns(period) >= kLeastCover * static_cast<double>(run_ns)) open.push_back(period);
  }
  while (!open.empty() && found.size() < kMostPeriods) {
    const CallPeriod longest = *std::ranges::max_element(open, {}, covered_ns);
    const CallPeriod* best = nullptr;
    for (const CallPeriod& period : open) {
      const bool is_around = covered_ns(period) >= kLikeLongest * covered_ns(longest);
      if (is_around && (best == nullptr || is_better(period, *best))) best = &period;
    }
    const CallPeriod chosen = *best;
    found.push_back(chosen);
    std::erase_if(open, [&](const CallPeriod& period) {
      return overlap_ns(period, chosen) > kMostOverlap * static_cast<double>(period.last_ns - period.first_ns);
    });
  }
  std::ranges::sort(found, {}, [](const CallPeriod& period) { return std::tuple{period.first_ns, period.key}; });
  return found;
}

}  // namespace meridian
