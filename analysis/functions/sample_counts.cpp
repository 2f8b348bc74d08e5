// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/sample_counts.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analysis/walk/location_states.hpp"

namespace meridian {
namespace {

constexpr std::size_t kSampleRowsOfAll = 1 << 20, kLeastSampleRows = 512,
                      kMostSampleRows = 16384;  // in memory; of one rank

bool is_call(const CallTraits& traits) {
  return !traits.is_user && traits.state != LocationState::compute && traits.state != LocationState::unknown;
}

}  // namespace

SampleCounts::SampleCounts(const MergedDefinitions& definitions, const SampleReader& reader,
                           const std::vector<MeasuredSpan>& spans, Outside outside, Program program,
                           const ReadyTimes* ready)
    : reader_{reader},
      ready_{ready},
      outside_{std::move(outside)},
      program_{std::move(program)},
      rank_of_(definitions.locations.size(), 0),
      busy_until_(definitions.locations.size(), std::numeric_limits<std::int64_t>::min()),
      threads_(definitions.locations.size()) {
  for (const CallTraits& traits : call_traits(definitions)) {
    is_call_.push_back(is_call(traits));
    is_program_.push_back(program_ && traits.is_user);
  }
  std::map<std::int32_t, std::size_t> number_of;
  for (const SampleRank& row : reader.names().ranks) {
    const auto span = std::ranges::find(spans, row.rank, &MeasuredSpan::rank);
    if (span == spans.end() || !span->has_events) continue;
    number_of[row.rank] = ranks_.size();
    ranks_.push_back({row.first, row.first + row.count, {}, 0, span->begin_ns, span->end_ns});
  }
  for (std::size_t i = 0; i < rank_of_.size(); ++i) {
    const auto found = number_of.find(definitions.locations[i].rank);
    rank_of_[i] = found == number_of.end() ? ranks_.size() : found->second;
  }
  for (const SampleThread& thread : reader.names().threads)
    threads_[thread.location].processor_ns = thread.processor_ns;
  rows_at_a_time_ =
      std::clamp(kSampleRowsOfAll / std::max<std::size_t>(ranks_.size(), 1), kLeastSampleRows, kMostSampleRows);
}

Status SampleCounts::read(Rank& rank) {
  rank.rows.resize(static_cast<std::size_t>(std::min<std::uint64_t>(rows_at_a_time_, rank.end - rank.next)));
  rank.at = 0;
  MERIDIAN_TRY_DO(reader_.read(rank.next, rank.rows));
  rank.next += rank.rows.size();
  return {};
}

void SampleCounts::take(const Rank& rank, const MergedSample& sample) {
  const auto location = static_cast<std::size_t>(sample.location);
  ThreadSamples& thread = threads_[location];
  ++thread.all;
  if (sample.time_ns < rank.begin_ns || sample.time_ns >= rank.end_ns) return;
  if (sample.time_ns < busy_until_[location]) {
    if (inside_ && latest_[location].outside_ns == 0) inside_(sample, latest_[location]);
    return;
  }
  ++thread.outside;
  ++thread.counts[static_cast<std::uint32_t>(sample.path)];
  if (outside_) outside_(sample);
}

Status SampleCounts::take_until(Rank& rank, std::int64_t time_ns) {
  for (;;) {
    for (; rank.at < rank.rows.size(); ++rank.at) {
      if (rank.rows[rank.at].time_ns >= time_ns) return {};
      take(rank, rank.rows[rank.at]);
    }
    if (rank.next == rank.end) return {};
    MERIDIAN_TRY_DO(read(rank));
  }
}

Status SampleCounts::look_at(std::span<const WalkedEvent> events) {
  for (const WalkedEvent& walked : events) {
    const MergedEvent& event = walked.event;
    if (event.call >= is_call_.size() || (!is_call_[event.call] && !is_program_[event.call])) continue;
    const std::size_t number = rank_of_[event.location];
    if (number == ranks_.size()) continue;
    Rank& rank = ranks_[number];
    MERIDIAN_TRY_DO(take_until(rank, event.enter_ns));
    if (is_program_[event.call]) {
      program_(event);
      continue;
    }
    std::int64_t& until_ns = busy_until_[event.location];
    const std::int64_t from_ns = std::max({event.enter_ns, until_ns, rank.begin_ns});
    if (inside_ && event.leave_ns() > until_ns) latest_[event.location] = event;
    until_ns = std::max(until_ns, event.leave_ns());
    const std::int64_t end_ns = std::min(until_ns, rank.end_ns);
    ThreadSamples& thread = threads_[event.location];
    thread.inside_ns += std::max<std::int64_t>(0, end_ns - from_ns - event.outside_ns);
    if (ready_ != nullptr) thread.ready_ns -= ready_->between(event.location, from_ns, end_ns);
  }
  return {};
}

Status SampleCounts::finish() {
  for (Rank& rank : ranks_) MERIDIAN_TRY_DO(take_until(rank, std::numeric_limits<std::int64_t>::max()));
  for (std::uint32_t i = 0; ready_ != nullptr && i < threads_.size(); ++i) {
    if (rank_of_[i] == ranks_.size()) continue;
    const Rank& rank = ranks_[rank_of_[i]];
    const std::int64_t all_ns = ready_->between(i, rank.begin_ns, rank.end_ns);
    threads_[i].ready_ns = std::max<std::int64_t>(0, threads_[i].ready_ns + all_ns);
  }
  return {};
}

}  // namespace meridian
