// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/walk/event_window.hpp"
#include "analysis/walk/location_states.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// An event of a walk, with what it waited for.
struct WalkedEvent {
  const MergedEvent& event;
  std::span<const EventLink> links;
  std::span<const WaitSpan> waits;       ///< in order of time, disjoint
  std::span<const EventWait> found;      ///< the same as they are in the file: they may overlap
  std::span<const WindowEvent> causers;  ///< of `found`
};

/// All events of a trace in global order with their waits. Calls look(std::span<const WalkedEvent>) -> Status for some
/// of them at a time: few enough to stay in the processor's cache while several visitors look at them.
class TraceWalk {
 public:
  /// fields  of events, besides those of WindowEvent and the sequence
  static Result<TraceWalk> open(const MergedTrace& trace, std::uint8_t links, std::uint32_t fields = 0);

  template <class Look>
  Status run(Look&& look) {
    for (;;) {
      MERIDIAN_TRY(const bool has_events, window_.next());
      if (!has_events) return {};
      const MergedBatch& batch = window_.current();
      waits_left_ = batch.waits;
      for (std::size_t first = 0; first < batch.events.size(); first += kEventsAtATime) {
        MERIDIAN_TRY_DO(gather(batch, first));
        MERIDIAN_TRY_DO(look(std::span<const WalkedEvent>{walked_}));
      }
    }
  }

 private:
  static constexpr std::size_t kEventsAtATime = 256;

  explicit TraceWalk(EventWindow window) : window_{std::move(window)} {}
  Status gather(const MergedBatch& batch, std::size_t first);
  std::span<const WaitSpan> find_spans(const MergedEvent& event, std::span<const EventWait> waits,
                                       std::span<const WindowEvent> causers);

  EventWindow window_;
  std::span<const EventWait> waits_left_;  // of the batch
  std::vector<WalkedEvent> walked_;
  std::vector<WaitSpan> spans_;  // of walked_
  std::vector<WindowEvent> causers_;
};

}  // namespace meridian
