// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/trace_walk.hpp"

#include <algorithm>
#include <cstddef>

namespace meridian {

Result<TraceWalk> TraceWalk::open(const MergedTrace& trace, std::uint8_t links, std::uint32_t fields) {
  MERIDIAN_TRY(EventWindow window,
               EventWindow::open(trace, {.fields = fields | kFieldSequence, .links = links, .has_waits = true}));
  return TraceWalk{std::move(window)};
}

Status TraceWalk::gather(const MergedBatch& batch, std::size_t first) {
  walked_.clear();
  spans_.clear();
  causers_.clear();
  const std::span events =
      std::span{batch.events}.subspan(first, std::min(kEventsAtATime, batch.events.size() - first));
  const std::uint64_t end = events.back().row + 1;
  std::size_t waits = 0;
  while (waits < waits_left_.size() && waits_left_[waits].row < end) ++waits;
  // Spans refer to them: they must not move.
  spans_.reserve(waits);
  causers_.reserve(waits);
  for (const MergedEvent& event : events) {
    std::size_t count = 0;
    for (; count < waits_left_.size() && waits_left_[count].row == event.row; ++count) {
      MERIDIAN_TRY(const WindowEvent causer, window_.event(waits_left_[count].causer));
      causers_.push_back(causer);
    }
    const std::span found = waits_left_.first(count);
    const std::span<const WindowEvent> causers = std::span{causers_}.last(count);
    walked_.push_back({event, batch.links_of(event), find_spans(event, found, causers), found, causers});
    waits_left_ = waits_left_.subspan(count);
  }
  return {};
}

/// A wait ends when its causer is entered, or otherwise with its own length after the call's enter. Some
/// follow one another (follows_last_wait()).
std::span<const WaitSpan> TraceWalk::find_spans(const MergedEvent& event, std::span<const EventWait> waits,
                                                std::span<const WindowEvent> causers) {
  if (waits.empty()) return {};
  const std::size_t begin = spans_.size();
  const std::int64_t enter_ns = event.enter_ns + event.outside_ns;  // as in Tiler
  std::int64_t since_ns = enter_ns;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const EventWait& wait = waits[i];
    const WindowEvent& causer = causers[i];
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
  std::span spans = std::span{spans_}.subspan(begin);
  if (spans.size() < 2) return spans;
  std::ranges::sort(spans, {}, [](const WaitSpan& span) { return std::pair{span.end_ns, span.begin_ns}; });
  for (std::size_t i = 1; i < spans.size(); ++i) spans[i].begin_ns = std::max(spans[i].begin_ns, spans[i - 1].end_ns);
  const auto end = std::remove_if(spans_.begin() + static_cast<std::ptrdiff_t>(begin), spans_.end(),
                                  [](const WaitSpan& span) { return span.begin_ns >= span.end_ns; });
  spans_.erase(end, spans_.end());
  return std::span{spans_}.subspan(begin);
}

}  // namespace meridian
