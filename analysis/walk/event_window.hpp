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
/// bytes_sent is 0 unless the selection has kFieldBytesSent.
struct WindowEvent {
  std::uint64_t row = 0;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint64_t bytes_sent = 0;
  std::uint32_t location = 0;
  std::uint32_t call = 0;
  std::uint32_t site = 0;
  std::int64_t outside_ns = 0;  ///< as in MergedEvent

  static WindowEvent of(const MergedEvent& event) {
    return {event.row,      event.enter_ns, event.leave_ns(), event.bytes_sent,
            event.location, event.call,     event.site,       event.outside_ns};
  }
};

/// All events of a trace in global order, or in reverse, a batch at a time; events some batches before and after it are
/// at hand. Others are read from the file. Memory is bounded by the number of batches. The trace must outlive it.
class EventWindow {
 public:
  /// selection  of the events of current(): all events of the trace, with the
  /// fields of WindowEvent and further ones
  static Result<EventWindow> open(const MergedTrace& trace, EventSelection selection);

  /// Goes to the next batch; false: there is none.
  Result<bool> next();
  const MergedBatch& current() const noexcept { return ahead_.front(); }
  /// Whether a row has been reached: it is in the current batch, before it in the order of reading, or shortly after
  /// it.
  bool has_reached(std::uint64_t row) const noexcept { return is_backwards_ ? row >= first_ : row < end_; }
  /// An event by its row.
  Result<WindowEvent> event(std::uint64_t row) const;

 private:
  struct Block {
    std::uint64_t first = 0;  // row
    std::vector<WindowEvent> events;
  };
  EventWindow(const MergedTrace& trace, EventCursor cursor, bool is_backwards)
      : trace_{&trace}, cursor_{std::move(cursor)}, is_backwards_{is_backwards} {}
  Status read_ahead();

  const MergedTrace* trace_;
  EventCursor cursor_;
  bool is_backwards_;
  bool is_begun_ = false;
  bool is_at_end_ = false;
  std::deque<MergedBatch> ahead_;  // the current batch and those after it
  MergedBatch free_batch_;         // batches and blocks that are not needed any more: their memory is used again
  std::vector<WindowEvent> free_events_;
  std::deque<Block> at_hand_;  // of batches before, of the current one, and
                               // after it, in the order of reading
  std::uint64_t first_ = 0;    // row of the first event at hand
  std::uint64_t end_ = 0;
};

}  // namespace meridian
