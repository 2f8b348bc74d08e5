// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "merger/match/messages/match_messages.hpp"
#include "merger/model/event_ref.hpp"
#include "merger/model/trace.hpp"

namespace meridian {

/// Whether all calls of a trace are recorded, so that the n-th call of every rank on an object is the same one.
bool are_calls_countable(const Trace& trace);

/// The collective calls on one window or file: the n-th of each rank belong together.
class ObjectCalls {
 public:
  /// members  ranks present that have the object
  /// kind     of the waits for the last rank
  ObjectCalls(std::uint32_t members, std::size_t ranks, WaitKind kind)
      : members_{members}, kind_{kind}, entered_(ranks) {}

  /// The next such call of a rank. Once the last rank has come, those that waited for it are added to `awaited`.
  void arrive(const Caller& caller, std::vector<AwaitedCall>& awaited);

 private:
  static constexpr std::size_t kMostOpen = 1 << 16;  // collective calls that are not complete

  std::uint32_t members_;
  WaitKind kind_;
  std::deque<std::vector<Caller>> open_;  // collective calls that are not complete: the calls so far
  std::uint64_t first_ = 0;               // number of the first of them
  std::vector<std::uint64_t> entered_;    // [ranks present]
};

}  // namespace meridian
