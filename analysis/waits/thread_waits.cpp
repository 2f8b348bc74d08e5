// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/thread_waits.hpp"

#include <algorithm>
#include <utility>

namespace meridian {

/// A causer that is not known is the waiting thread, without a call.
Result<WindowEvent> ThreadWaits::causer_of(const WindowEvent& here, const EventAwaited& awaited) const {
  if (awaited.causer != here.row) return window_.event(awaited.causer);
  WindowEvent unknown = here;
  unknown.call = kNoCall;
  unknown.site = 0;
  return unknown;
}

Status ThreadWaits::look(const MergedEvent& event, std::span<const EventAwaited> awaited) {
  const WindowEvent here = WindowEvent::of(event);
  const auto is_of_lock = [](const EventAwaited& other) { return other.kind == WaitKind::lock; };
  const auto first = std::ranges::find_if(awaited, is_of_lock);
  const auto last = std::find_if_not(first, awaited.end(), is_of_lock);
  MERIDIAN_TRY_DO(look_at_lock(here, {first, last}));
  const auto team = std::ranges::find(awaited, WaitKind::team, &EventAwaited::kind);
  std::int64_t since_ns = here.enter_ns;
  for (const EventAwaited& other : awaited) {
    if (!is_of_threads(other.kind) || other.kind == WaitKind::lock || other.kind == WaitKind::team) continue;
    MERIDIAN_TRY(const WindowEvent causer, causer_of(here, other));
    std::int64_t end_ns = causer.enter_ns;
    if (other.kind == WaitKind::join) {
      const std::int64_t life_ns = lives_[causer.location].end_ns;
      end_ns = other.causer == here.row || life_ns == kUnknownTime ? here.leave_ns : life_ns;
    }
    const std::int64_t ns = std::min(end_ns, here.leave_ns) - here.enter_ns;
    if (ns > 0) MERIDIAN_TRY_DO(sums_.add({other.kind, ns, causer}, here));
    since_ns += std::max<std::int64_t>(ns, 0);
  }
  if (team == awaited.end()) return {};
  MERIDIAN_TRY(const WindowEvent causer, causer_of(here, *team));
  const std::int64_t ns = std::min(causer.enter_ns, here.leave_ns) - since_ns;
  return ns > 0 ? sums_.add({WaitKind::team, ns, causer}, here) : Status{};
}

/// Each holder is waited for until the next one has the lock, the last one until the call has it.
Status ThreadWaits::look_at_lock(const WindowEvent& here, std::span<const EventAwaited> holders) {
  std::int64_t since_ns = here.enter_ns;
  for (std::size_t i = 0; i < holders.size(); ++i) {
    MERIDIAN_TRY(const WindowEvent causer, causer_of(here, holders[i]));
    std::int64_t until_ns = here.leave_ns;
    if (i + 1 < holders.size()) {
      MERIDIAN_TRY(const WindowEvent next, window_.event(holders[i + 1].causer));
      until_ns = std::clamp(next.leave_ns, since_ns, here.leave_ns);
    }
    const std::int64_t ns = until_ns - std::exchange(since_ns, until_ns);
    if (ns > 0) MERIDIAN_TRY_DO(sums_.add({WaitKind::lock, ns, causer}, here));
  }
  return {};
}

}  // namespace meridian
