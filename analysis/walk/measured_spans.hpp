// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/walk/location_states.hpp"
#include "merged/merged_trace.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// The part of a rank that efficiencies are about: from the leave of MPI_Init to the enter of MPI_Finalize. Without these
/// calls, from its first event or to its last one. In the last part of a run (MERIDIAN_MODE=recorder) all begin with the first event of
/// the rank that begins last, if that is before the end of each: what the others' earlier events waited for is not known. Where recording was
/// switched off and on, it is the piece that was recorded of all ranks, if there is one.
struct MeasuredSpan {
  std::int32_t rank = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t main = 0;  ///< location that called MPI_Init; otherwise that of the first event
  bool has_events = false;
};

/// Finds the spans of all ranks.
class MeasuredSpans {
 public:
  MeasuredSpans(const MergedDefinitions& definitions, const Summary& summary);
  /// All events, the last one first.
  void add(const MergedEvent& event);
  /// By rank, those of MergedDefinitions::ranks.
  std::vector<MeasuredSpan> spans() const;

 private:
  void begin_together(std::vector<MeasuredSpan>& spans) const;
  void keep_recorded(std::vector<MeasuredSpan>& spans) const;
  bool is_last_part_;
  std::int64_t recorded_from_ns_, recorded_to_ns_;  // of all ranks

  struct Rank {
    bool is_finalized = false;
    bool is_begun = false;  // an MPI_Init was seen
    bool is_ended = false;  // the end is known
  };
  std::vector<CallTraits> traits_;      // [call]
  std::vector<std::size_t> number_of_;  // [location]: in spans_; their number: none
  std::vector<Rank> ranks_;
  std::vector<MeasuredSpan> spans_;
};

}  // namespace meridian
