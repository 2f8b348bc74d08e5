// SPDX-License-Identifier: Apache-2.0
#include "merger/match/collectives/object_calls.hpp"

#include <algorithm>

namespace meridian {

bool are_calls_countable(const Trace& trace) {
  const auto has_losses = [](const RecordingGaps& gaps) {
    return !gaps.lost_bounds.empty() || !gaps.paused_ticks.empty();
  };
  return !trace.gaps.has_gaps && !trace.gaps.begins_late && !trace.gaps.has_selection &&
         std::ranges::none_of(trace.gaps.ranks, has_losses);
}

/// A call that returned before the last rank came did not wait: some fences synchronise nothing, some libraries write files without it.
void ObjectCalls::arrive(const Caller& caller, std::vector<AwaitedCall>& awaited) {
  const std::uint64_t number = entered_[caller.rank_index]++;
  if (number < first_ || number - first_ >= kMostOpen) return;
  const auto at = static_cast<std::size_t>(number - first_);
  if (open_.size() <= at) open_.resize(at + 1);
  open_[at].push_back(caller);
  while (!open_.empty() && open_.front().size() >= members_) {
    const std::vector<Caller>& calls = open_.front();
    const Caller& latest = *std::ranges::max_element(calls, {}, &Caller::enter_ns);
    for (const Caller& here : calls)
      if (here.enter_ns < latest.enter_ns && latest.enter_ns < here.leave_ns)
        awaited.push_back({here.call, latest.call, kind_});
    open_.pop_front();
    ++first_;
  }
}

}  // namespace meridian
