// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "merger/model/clock_map.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/event_ref.hpp"
#include "trace/containers/temp_file.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A call's two ends, global ns.
struct TimePair {
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
};

/// The times of a thread's calls: row e is that of call e (EventRef::event). Rows that are not calls of their own (they
/// continue one, or cannot be read) repeat the end of the call before. A call that never returned leaves when it
/// enters.
struct StreamTimes {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  TempSpool<TimePair> times;
};

/// What was subtracted from the times of a trace.
struct RemovedOverhead {
  std::uint64_t calls = 0;   ///< from which something was subtracted
  double removed_ns = 0;     ///< from all of them, before waits took up a part of it
  std::uint64_t chance = 0;  ///< calls whose outcome depends on the times: receives from any source, tests, MPI_Waitany
  std::uint64_t kept_ranks = 0;        ///< ranks with several threads, whose times remain
  std::uint64_t unmeasured_ranks = 0;  ///< ranks without costs in their files
};

struct Repaired {
  std::vector<StreamTimes> streams;  ///< of every rank given, in that order; a rank's threads by number
  std::uint64_t moved = 0;           ///< calls with at least one end that is not at its clock's time
  std::uint64_t gave_way = 0;        ///< calls without bounds that were put earlier (give_way()); not among the moved
  std::int64_t largest_move_ns = 0;  ///< moves are forward only
  /// [domain][knot of its bounds]: the largest move of an event between the knot before and the one after; ns
  std::vector<std::vector<std::int64_t>> moves_ns;
  std::uint64_t reversed_after = 0;  ///< computed from the result; always 0
  RemovedOverhead overhead;
  std::uint64_t withdrawn = 0;  ///< collectives whose order the messages contradict; their parts are of shape none
  TempSpool<MatchedMessage> messages;     ///< the input in the same order, with the new times
  TempSpool<CollectivePart> collectives;  ///< likewise
};

/// Moves events forward in time until every receive ends at least 1 ns after its send, and every exit of a collective
/// at least 1 ns after the enters of other ranks that its shape requires: a controlled logical clock over all calls,
/// then ramps that spread each jump over the time before it. No event moves after this pass.
///
/// A rank's calls keep their order, across all its threads (calls with equal times may get different ones). A stretch
/// of time shrinks by at most one part in 1000 and grows by at most one in 100, except where a message forces more. The
/// pass streams: its memory does not grow with the trace; it needs about 100 bytes of scratch space a call.
///
/// removes_overhead  first subtracts the tracer's direct cost from all times (remove_overhead()).
/// scratch  where the results go; its directory also holds the temporary files of the pass.
/// errors   invalid_argument: a message or collective names a call that no rank has, or the verification of the result
///          fails (an internal error).
///          damaged: messages wait for each other in a circle, so that no clock could order them.
///          io: the rank files or the scratch directory.
Result<Repaired> repair_causality(std::span<RankFile* const> ranks, const Clocks& clocks,
                                  TempSpool<MatchedMessage>& messages, TempSpool<CollectivePart>& collectives,
                                  const std::shared_ptr<TempFile>& scratch, bool removes_overhead = false);

/// Counts messages whose receive does not follow the send, and collectives with an exit that does not follow an enter
/// of another rank as its shape requires. "Follows" means at least 1 ns later.
///
/// collectives  the rows of an instance are consecutive.
Result<std::uint64_t> count_reversed(TempSpool<MatchedMessage>& messages, TempSpool<CollectivePart>& collectives);

}  // namespace meridian
