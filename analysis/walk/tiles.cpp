// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/tiles.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/model/event.hpp"

namespace meridian {

Tiler::Tiler(const MergedDefinitions& definitions, std::span<const LocationLife> lives, Sink sink)
    : traits_{call_traits(definitions)},
      lives_{lives.begin(), lives.end()},
      threads_(definitions.locations.size()),
      threads_of_rank_(definitions.locations.size()),
      sink_{std::move(sink)} {
  lives_.resize(threads_.size());
  std::map<std::int32_t, std::vector<std::uint32_t>> ranks;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    threads_[i].outer = i;
    if (definitions.locations[i].kernel_tid != 0) ranks[definitions.locations[i].rank].push_back(i);
  }
  // Only calls in callbacks are recorded without the number of a kernel thread.
  for (std::uint32_t i = 0; i < threads_.size(); ++i)
    if (definitions.locations[i].kernel_tid == 0) threads_of_rank_[i] = ranks[definitions.locations[i].rank];
}

void Tiler::emit(std::uint32_t location, std::int64_t end_ns, LocationState state, std::uint32_t call,
                 std::uint32_t site) {
  Thread& thread = threads_[location];
  if (end_ns <= thread.at_ns) return;
  const std::uint32_t region = thread.regions.empty() ? kNoCall : thread.regions.innermost().call;
  sink_({std::exchange(thread.at_ns, end_ns), end_ns, location, state, call, site, region});
}

void Tiler::begin(Thread& thread, const MergedEvent& event) {
  thread.is_begun = true;
  std::int64_t latest_ns = kUnknownTime;
  for (const std::uint32_t other : threads_of_rank_[event.location]) {
    const Thread& around = threads_[other];
    if (around.is_in_call && around.leave_ns >= event.leave_ns() && around.at_ns > latest_ns) {
      latest_ns = around.at_ns;
      thread.outer = other;
    }
  }
  const std::int64_t begin_ns = lives_[event.location].begin_ns;
  const bool is_known = begin_ns != kUnknownTime && begin_ns < event.enter_ns;
  thread.begin_ns = thread.at_ns = is_known ? begin_ns : event.enter_ns;
}

void Tiler::end_call(std::uint32_t location) {
  Thread& thread = threads_[location];
  if (!std::exchange(thread.is_in_call, false)) return;
  emit(location, thread.inside_from_ns, LocationState::compute, kNoCall, 0);
  const LocationState state = traits(thread.call).state;
  for (const WaitSpan& wait : thread.waits) {
    emit(location, std::min(wait.begin_ns, thread.leave_ns), state, thread.call, thread.site);
    const LocationState waiting =
        state == LocationState::sync_wait ? LocationState::sync_wait : LocationState::mpi_wait;
    emit(location, std::min(wait.end_ns, thread.leave_ns), waiting, thread.call, thread.site);
  }
  thread.waits.clear();
  emit(location, thread.leave_ns, state, thread.call, thread.site);
}

void Tiler::change_regions(Thread& thread, const MergedEvent& event) {
  if (event.flags & kFlagBegins) {
    if (!thread.regions.has(event.call)) changes_.push_back({event.call, true});
    thread.regions.begin(event.call);
  } else if (event.flags & kFlagEnds) {
    thread.regions.end(event.call, [&](const auto& region) {
      if (!thread.regions.has(region.call)) changes_.push_back({region.call, false});
    });
  }
}

void Tiler::add(const MergedEvent& event, std::span<const WaitSpan> waits) {
  changes_.clear();
  const std::uint32_t location = event.location;
  Thread& thread = threads_[location];
  if (!thread.is_begun) begin(thread, event);
  if (thread.outer != location) return;
  end_call(location);
  const bool has_lost_calls = event.sequence != std::exchange(thread.next_sequence, event.sequence + 1);
  const bool is_unknown = has_lost_calls || thread.endless_call != kNoCall;
  emit(location, event.enter_ns, is_unknown ? LocationState::unknown : LocationState::compute, thread.endless_call, 0);
  thread.endless_call = kNoCall;
  if (traits(event.call).is_user) return change_regions(thread, event);
  if (event.flags & kFlagUnfinished) {
    thread.endless_call = event.call;
    return;
  }
  thread.is_in_call = true;
  thread.call = event.call;
  thread.site = event.site;
  thread.leave_ns = event.leave_ns();
  thread.inside_from_ns = event.enter_ns + event.outside_ns;
  thread.waits.assign(waits.begin(), waits.end());
}

void Tiler::finish() {
  changes_.clear();
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    const LocationLife& life = lives_[i];
    if (!thread.is_begun) {
      if (life.begin_ns == kUnknownTime) continue;
      thread.is_begun = true;
      thread.begin_ns = thread.at_ns = life.begin_ns;
    }
    if (thread.outer != i) continue;
    end_call(i);
    const bool is_endless = thread.endless_call != kNoCall;
    if (life.end_ns != kUnknownTime)
      emit(i, life.end_ns, is_endless ? LocationState::unknown : LocationState::compute, thread.endless_call, 0);
  }
}

}  // namespace meridian
