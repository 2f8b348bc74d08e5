// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "analysis/walk/event_window.hpp"
#include "analysis/walk/location_states.hpp"
#include "merged/merged_trace.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// An event of a walk, with what it waited for.
struct WalkedEvent {
  const MergedEvent& event;
  std::span<const EventLink> links;
  std::span<const WaitSpan> waits;  ///< in order of time, disjoint
};

/// All events of a trace in global order with their waits. Calls look(WalkedEvent) -> Status.
class TraceWalk {
 public:
  static Result<TraceWalk> open(const MergedTrace& trace, std::uint8_t links);

  template <class Look>
  Status run(Look&& look) {
    for (;;) {
      MERIDIAN_TRY(const bool has_events, window_.next());
      if (!has_events) return {};
      const MergedBatch& batch = window_.current();
      for (const MergedEvent& event : batch.events) {
        MERIDIAN_TRY_DO(find_spans(event, batch.waits_of(event)));
        MERIDIAN_TRY_DO(look(WalkedEvent{event, batch.links_of(event), spans_}));
      }
    }
  }

 private:
  explicit TraceWalk(EventWindow window) : window_{std::move(window)} {}
  Status find_spans(const MergedEvent& event, std::span<const EventWait> waits);

  EventWindow window_;
  std::vector<WaitSpan> spans_;
};

/// An analysis that shares a walk with others.
class TraceVisitor {
 public:
  TraceVisitor() = default;
  TraceVisitor(const TraceVisitor&) = delete;
  TraceVisitor& operator=(const TraceVisitor&) = delete;
  virtual ~TraceVisitor() = default;
  /// In global order; the links are those of the walk.
  virtual Status look_at(const WalkedEvent& walked) = 0;
  /// After the last event.
  virtual Status finish(Summary& summary) = 0;
};

}  // namespace meridian
