// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/rank_waits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>

namespace meridian {

/// Of several causers of one kind the latest counts. A wait for accesses ends with the last one; the origin is waited for
/// until it completes.
Status RankWaits::look(const MergedEvent& event, std::span<const EventAwaited> awaited) {
  const WindowEvent here = WindowEvent::of(event);
  std::array<std::optional<WindowEvent>, std::size(kWaitKindNames)> latest;
  for (const EventAwaited& other : awaited) {
    if (other.kind == WaitKind::late_receiver || is_of_threads(other.kind)) continue;  // see MessageWaits, ThreadWaits
    MERIDIAN_TRY(const WindowEvent causer, window_.event(other.causer));
    std::optional<WindowEvent>& known = latest[static_cast<std::size_t>(other.kind)];
    if (!known || causer.enter_ns > known->enter_ns) known = causer;
  }
  const std::optional<WindowEvent>& access = latest[static_cast<std::size_t>(WaitKind::early_wait)];
  const std::optional<WindowEvent>& completion = latest[static_cast<std::size_t>(WaitKind::late_complete)];
  for (std::size_t i = 0; i < latest.size(); ++i) {
    if (!latest[i]) continue;
    const WindowEvent& causer = *latest[i];
    const auto kind = static_cast<WaitKind>(i);
    std::int64_t begin_ns = here.enter_ns, end_ns = causer.enter_ns;
    if (kind == WaitKind::early_wait)
      end_ns = completion ? std::min(causer.leave_ns, completion->enter_ns) : causer.leave_ns;
    if (kind == WaitKind::late_complete && access) begin_ns = std::max(begin_ns, access->leave_ns);
    const std::int64_t ns = std::min(end_ns, here.leave_ns) - begin_ns;
    if (ns > 0) MERIDIAN_TRY_DO(sums_.add({kind, ns, causer}, here));
  }
  return {};
}

}  // namespace meridian
