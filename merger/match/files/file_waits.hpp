// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/match/collectives/object_calls.hpp"
#include "merger/model/trace.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// Finds the calls of other ranks for which collective calls on files may have waited. MPI does not demand that they wait;
/// a call counts if it was in progress when the last rank came. Nothing is found if some calls were filtered out or lost.
class FileWaits {
 public:
  /// awaited  receives the rows; its owner empties it
  FileWaits(const Trace& trace, std::vector<AwaitedCall>& awaited);

  /// Every call of a rank that concerns a file, in order.
  void add(const Caller& caller, const Call& call, const CallFacts& what);

 private:
  const Trace* trace_;
  std::vector<AwaitedCall>* awaited_;
  std::vector<ObjectCalls> files_;  // [Objects::file_members]
};

}  // namespace meridian
