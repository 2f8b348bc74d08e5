// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/walk/measured_spans.hpp"
#include "analysis/walk/trace_walk.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// The trace, and what is known of it before the walk: for the function that makes a visitor.
struct AnalysisInput {
  const MergedTrace& trace;
  const Summary& summary;                  ///< as it is before the walk
  const std::vector<MeasuredSpan>& spans;  ///< by rank, those of MergedDefinitions::ranks
};

/// An analysis that shares its walk over the events with others.
class TraceVisitor {
 public:
  TraceVisitor() = default;
  TraceVisitor(const TraceVisitor&) = delete;
  TraceVisitor& operator=(const TraceVisitor&) = delete;
  virtual ~TraceVisitor() = default;
  /// The next events in global order, with all fields but peer and bytes_received; with their links if
  /// AnalysisCost::reads_links is set.
  virtual Status look_at(std::span<const WalkedEvent> events) = 0;
  /// After the last event; true: the visitor wants to see all of them again, then without links.
  virtual Result<bool> wants_more() { return false; }
  /// After the last walk.
  virtual Status finish(Summary& summary) = 0;
};

/// The same for an analysis for which later events come first. It is made with the walk's window.
class BackwardVisitor {
 public:
  BackwardVisitor() = default;
  BackwardVisitor(const BackwardVisitor&) = delete;
  BackwardVisitor& operator=(const BackwardVisitor&) = delete;
  virtual ~BackwardVisitor() = default;
  /// The window's next batch, the last event first: with comm, peer, tag, and the messages and collectives that the calls
  /// sent, received and left.
  virtual Status look_at(const MergedBatch& batch) = 0;
  /// After the first event of the trace.
  virtual Status finish(Summary& summary) = 0;
};

}  // namespace meridian
