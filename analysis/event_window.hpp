// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "merged/merged_trace.hpp"

namespace meridian {

/// An event as the other end of a message or another participant of a collective: the fields that analyses use.
struct WindowEvent {
  std::uint64_t row = 0;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint64_t bytes_sent = 0;
  std::uint32_t location = 0;
  std::uint32_t call = 0;
  std::uint32_t site = 0;
};

/// All events of a trace in global order, a batch at a time; events some batches before and after it are at hand. Others
/// are read from the file. Memory is bounded by the number of batches. The trace must outlive it.
class EventWindow {
 public:
  /// links  of link_bit(), for the events of current()
  static Result<EventWindow> open(const MergedTrace& trace, std::uint8_t links);
  /// selection  of fields, links and waits; it leaves out no event
  static Result<EventWindow> open(const MergedTrace& trace, EventSelection selection);

  /// Goes to the next batch; false: there is none.
  Result<bool> next();
  const MergedBatch& current() const noexcept { return ahead_.front(); }
  /// First row behind those that are at hand.
  std::uint64_t end() const noexcept { return end_; }
  /// An event by its row.
  Result<WindowEvent> event(std::uint64_t row) const;

 private:
  EventWindow(const MergedTrace& trace, EventCursor cursor) : trace_{&trace}, cursor_{std::move(cursor)} {}
  Status read_ahead();

  const MergedTrace* trace_;
  EventCursor cursor_;
  bool is_begun_ = false;
  bool is_at_end_ = false;
  std::deque<MergedBatch> ahead_;                 // the current batch and those after it
  std::deque<std::vector<WindowEvent>> at_hand_;  // of batches before, of the current one, and after it
  std::uint64_t first_ = 0;                       // row of the first event at hand
  std::uint64_t end_ = 0;
};

}  // namespace meridian
