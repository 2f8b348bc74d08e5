// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/walk/batch_reader.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// All events of a trace in global order, or in reverse, a batch at a time; events some batches before and after it are
/// at hand. Others are read from the file. Memory is bounded by the number of batches. The trace must outlive it.
class EventWindow {
 public:
  /// selection  of the events of current(): all events of the trace, with the
  /// fields of WindowEvent and further ones
  static Result<EventWindow> open(const MergedTrace& trace, EventSelection selection);

  const MergedTrace& trace() const noexcept { return *trace_; }
  /// Goes to the next batch; false: there is none.
  Result<bool> next();
  const MergedBatch& current() const noexcept { return ahead_.front(); }
  /// Whether a row has been reached: it is in the current batch, before it in the order of reading, or shortly after
  /// it.
  bool has_reached(std::uint64_t row) const noexcept { return is_backwards_ ? row >= first_ : row < end_; }
  /// An event by its row.
  Result<WindowEvent> event(std::uint64_t row) const {
    if (row < first_ || row >= end_) return far_event(row);
    // All batches but the last one of the trace are equally long.
    const auto number = static_cast<std::size_t>((row - first_) / kBatchRows);
    const Block& block = at_hand_[is_backwards_ ? at_hand_.size() - 1 - number : number];
    return block.events[static_cast<std::size_t>(row - block.first)];
  }

 private:
  static constexpr std::uint64_t kBatchRows = 65536;
  struct Block {
    std::uint64_t first = 0;  // row
    std::vector<WindowEvent> events;
  };
  EventWindow(const MergedTrace& trace, EventCursor cursor, bool is_backwards)
      : trace_{&trace},
        reader_{std::make_unique<BatchReader>(std::move(cursor), BatchReader::can_have_thread())},
        is_backwards_{is_backwards} {}
  Status read_ahead();
  Result<WindowEvent> far_event(std::uint64_t row) const;

  const MergedTrace* trace_;
  std::unique_ptr<BatchReader> reader_;
  bool is_backwards_;
  bool is_begun_ = false;
  bool is_at_end_ = false;
  std::deque<MergedBatch> ahead_;  // the current batch and those after it
  BatchReader::Batch free_;        // not needed any more: its memory is used again
  std::deque<Block> at_hand_;      // of batches before, of the current one, and
                                   // after it, in the order of reading
  std::uint64_t first_ = 0;        // row of the first event at hand
  std::uint64_t end_ = 0;
};

}  // namespace meridian
