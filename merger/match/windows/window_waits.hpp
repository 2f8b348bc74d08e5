// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/match/collectives/object_calls.hpp"
#include "merger/match/windows/window_epochs.hpp"
#include "merger/match/windows/window_locks.hpp"
#include "merger/model/trace.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// Finds the calls of other ranks for which calls on windows may have waited: collective ones (fences, creation, end), epochs
/// of groups, locks. Nothing is found if some calls were filtered out or lost: a window's calls are counted.
class WindowWaits {
 public:
  /// awaited  receives the rows; its owner empties it
  WindowWaits(const Trace& trace, std::vector<AwaitedCall>& awaited);

  /// Every call of a rank that concerns a window, in order.
  void add(const Caller& caller, const Call& call, const CallFacts& what);
  /// After the last call of the trace.
  void end();
  /// After end(): by window, target, then time held, longest first.
  std::vector<WindowLockSummary> locks() const;

 private:
  struct Window {
    ObjectCalls collectives;
    WindowEpochs epochs;
    WindowLocks locks;
  };
  void synchronise(Window& window, const Caller& caller, const Call& call);
  Window* find(const Caller& caller, const Call& call, const CallFacts& what);
  std::vector<std::int32_t> group_of(const Caller& caller, const Call& call) const;

  const Trace* trace_;
  std::vector<AwaitedCall>* awaited_;
  std::vector<Window> windows_;  // [Objects::window_members]
};

}  // namespace meridian
