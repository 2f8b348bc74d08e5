// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/collective_waits.hpp"

#include <algorithm>

namespace meridian {

Status CollectiveWaits::look(bool all) {
  while (parts_left_ != 0) {
    if (next_.parts().empty()) MERIDIAN_TRY_DO(next_.read(parts_left_ - 1));
    for (const MergedPart& part : next_.parts())
      if (!all && !window_.has_reached(std::min(part.start, part.completion))) return {};
    parts_left_ = next_.parts().front().first_part;
    MERIDIAN_TRY_DO(next_.find());
    MERIDIAN_TRY_DO(look_at_instance());
    next_.clear();
  }
  return {};
}

Status CollectiveWaits::look_at_instance() {
  for (std::size_t i = 0; i < next_.parts().size(); ++i) {
    const bool is_overlapped = !overlapped_.empty() && overlapped_.erase(next_.parts()[i].first_part + i) != 0;
    if (next_.causes()[i] && !is_overlapped) MERIDIAN_TRY_DO(wait_in(i, *next_.causes()[i]));
  }
  if (next_.last_of_all()) look_at_completion(next_.starts()[*next_.last_of_all()]);
  return {};
}

/// For blocking calls only: non-blocking ones return as soon as they have begun.
void CollectiveWaits::look_at_completion(const WindowEvent& latest) {
  const std::vector<MergedPart>& parts = next_.parts();
  const std::vector<WindowEvent>& starts = next_.starts();
  const WaitKind kind =
      functions_[latest.call].is_barrier ? WaitKind::barrier_completion : WaitKind::all_to_all_completion;
  const WindowEvent* first = nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (shape_of(parts[i]) != CollectiveShape::all_to_all) continue;
    if (parts[i].start != parts[i].completion) return;
    if (first == nullptr || starts[i].leave_ns < first->leave_ns) first = &starts[i];
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (shape_of(parts[i]) != CollectiveShape::all_to_all) continue;
    const std::int64_t ns = starts[i].leave_ns - std::max(first->leave_ns, latest.enter_ns);
    if (ns > 0) sums_.add_completion(kind, ns, starts[i], *first);
  }
}

/// The wait of participant `i`, in the call in which it leaves the collective.
Status CollectiveWaits::wait_in(std::size_t i, const FoundWait& cause) {
  const MergedPart& part = next_.parts()[i];
  WindowEvent here = next_.starts()[i];
  if (part.completion != part.start) {
    MERIDIAN_TRY(here, window_.event(part.completion));
  }
  const std::int64_t ns = next_.wait_ns(i, here);
  return ns > 0 ? sums_.add({cause.kind, ns, cause.causer}, here) : Status{};
}

}  // namespace meridian
