// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/waits/wait_sums.hpp"
#include "analysis/walk/event_window.hpp"
#include "analysis/walk/location_states.hpp"

namespace meridian {

/// Finds the waits of threads for other threads of their ranks, which share a clock.
class ThreadWaits {
 public:
  /// lives  by MergedEvent::location
  ThreadWaits(const EventWindow& window, std::vector<LocationLife> lives, WaitSums& sums)
      : window_{window}, lives_{std::move(lives)}, sums_{sums} {}

  /// awaited  of the event
  Status look(const MergedEvent& event, std::span<const EventAwaited> awaited);

 private:
  Status look_at_lock(const WindowEvent& here, std::span<const EventAwaited> holders);
  Result<WindowEvent> causer_of(const WindowEvent& here, const EventAwaited& awaited) const;

  const EventWindow& window_;
  std::vector<LocationLife> lives_;
  WaitSums& sums_;
};

}  // namespace meridian
