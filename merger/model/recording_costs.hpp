// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/model/clock_map.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/call_id.hpp"

namespace meridian {

/// What recording one call costs its thread, in ns.
struct RecordingCost {
  double all_ns = 0;
  double inside_ns = 0;  ///< the part of it between the call's enter and leave
};

/// The costs that a rank measured at its start (CostKind); 0: not measured, as in rank files of earlier versions.
struct RecordingCosts {
  RecordingCost call;          ///< of MPI, without counters
  RecordingCost counted_call;  ///< with them
  RecordingCost other;         ///< of threads, locks and the user
  double poll_ns = 0;          ///< one more poll in a phase of them

  RecordingCost of(CallId id, bool has_counters) const noexcept {
    if (!is_mpi(id)) return other;
    return has_counters ? counted_call : call;
  }
};

RecordingCosts recording_costs(const RankMeta& meta, const ClockMap& clock);

}  // namespace meridian
