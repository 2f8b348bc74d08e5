// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/trace_walk.hpp"

#include <algorithm>

namespace meridian {

Result<TraceWalk> TraceWalk::open(const MergedTrace& trace, std::uint8_t links) {
  MERIDIAN_TRY(EventWindow window,
               EventWindow::open(trace, {.fields = kFieldSequence | kFieldCall | kFieldFlags | kFieldSite,
                                         .links = links,
                                         .has_waits = true}));
  return TraceWalk{std::move(window)};
}

/// A wait ends when its causer is entered, or otherwise with its own length after the call's enter. Some
/// follow one another (follows_last_wait()).
Status TraceWalk::find_spans(const MergedEvent& event, std::span<const EventWait> waits) {
  spans_.clear();
  const std::int64_t enter_ns = event.enter_ns + event.outside_ns;  // as in Tiler
  std::int64_t since_ns = enter_ns;
  for (const EventWait& wait : waits) {
    MERIDIAN_TRY(const WindowEvent causer, window_.event(wait.causer));
    if (follows_last_wait(wait.kind)) {
      const std::int64_t begin_ns = since_ns;
      since_ns = std::min(since_ns + wait.ns, event.leave_ns());
      spans_.push_back({begin_ns, since_ns, event.location, causer.location, wait.kind});
      continue;
    }
    const bool ends_at_enter = causer.enter_ns - wait.ns >= enter_ns && causer.enter_ns <= event.leave_ns();
    const std::int64_t end_ns = std::min(ends_at_enter ? causer.enter_ns : enter_ns + wait.ns, event.leave_ns());
    spans_.push_back({std::max(end_ns - wait.ns, enter_ns), end_ns, event.location, causer.location, wait.kind});
    since_ns = end_ns;
  }
  if (spans_.size() < 2) return {};
  std::ranges::sort(spans_, {}, [](const WaitSpan& span) { return std::pair{span.end_ns, span.begin_ns}; });
  for (std::size_t i = 1; i < spans_.size(); ++i)
    spans_[i].begin_ns = std::max(spans_[i].begin_ns, spans_[i - 1].end_ns);
  std::erase_if(spans_, [](const WaitSpan& span) { return span.begin_ns >= span.end_ns; });
  return {};
}

}  // namespace meridian
