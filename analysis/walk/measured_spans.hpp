// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merged/merged_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The part of a rank that efficiencies are about: from the leave of MPI_Init to the enter of MPI_Finalize. Without these
/// calls, from its first event or to its last one.
struct MeasuredSpan {
  std::int32_t rank = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t main = 0;  ///< location that called MPI_Init; otherwise that of the first event
  bool has_events = false;
};

/// By rank, those of MergedDefinitions::ranks. Reads the beginning and the end of the trace; all of it if a rank has no such
/// call.
Result<std::vector<MeasuredSpan>> measured_spans(const MergedTrace& trace);

}  // namespace meridian
