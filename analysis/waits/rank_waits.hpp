// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "analysis/waits/wait_sums.hpp"
#include "analysis/walk/event_window.hpp"

namespace meridian {

/// Finds the waits for calls of other ranks that are stored as such (EventAwaited), not as messages or collectives: in
/// one-sided communication, among neighbours, in collective calls on files and on intercommunicators.
class RankWaits {
 public:
  RankWaits(const EventWindow& window, WaitSums& sums) : window_{window}, sums_{sums} {}

  /// awaited  of the event
  Status look(const MergedEvent& event, std::span<const EventAwaited> awaited);

 private:
  const EventWindow& window_;
  WaitSums& sums_;
};

}  // namespace meridian
