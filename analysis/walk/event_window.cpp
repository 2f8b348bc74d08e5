// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/event_window.hpp"

#include <algorithm>

namespace meridian {
namespace {

// A batch has 65536 events: 7 MB, and 3.7 MB of what is kept of it.
constexpr std::size_t kAhead = 2;
constexpr std::size_t kBehind = 4;

}  // namespace

Result<EventWindow> EventWindow::open(const MergedTrace& trace, EventSelection selection) {
  selection.fields |= kFieldCall | kFieldFlags | kFieldSite | kFieldOutside;
  const bool is_backwards = selection.is_backwards;
  MERIDIAN_TRY(EventCursor cursor, trace.select(std::move(selection)));
  return EventWindow{trace, std::move(cursor), is_backwards};
}

Status EventWindow::read_ahead() {
  while (!is_at_end_ && ahead_.size() <= kAhead) {
    BatchReader::Batch read = std::exchange(free_, {});
    MERIDIAN_TRY(const bool has_events, reader_->next(read));
    if (!has_events) {
      is_at_end_ = true;
      break;
    }
    Block& block = at_hand_.emplace_back();
    block.first = read.events.front().row;
    MERIDIAN_CHECK(block.first % kBatchRows == 0 && read.events.size() <= kBatchRows);
    block.events = std::move(read.events);
    ahead_.push_back(std::move(read.batch));
  }
  return {};
}

Result<bool> EventWindow::next() {
  if (std::exchange(is_begun_, true) && !ahead_.empty()) {
    free_.batch = std::move(ahead_.front());
    ahead_.pop_front();
  }
  // Before the batch that is read next, so that it can take the memory.
  if (at_hand_.size() > ahead_.size() + kBehind) {
    free_.events = std::move(at_hand_.front().events);
    at_hand_.pop_front();
  }
  MERIDIAN_TRY_DO(read_ahead());
  while (at_hand_.size() > ahead_.size() + kBehind) at_hand_.pop_front();
  if (!at_hand_.empty()) {
    const Block& lowest = is_backwards_ ? at_hand_.back() : at_hand_.front();
    const Block& highest = is_backwards_ ? at_hand_.front() : at_hand_.back();
    first_ = lowest.first;
    end_ = highest.first + highest.events.size();
  }
  return !ahead_.empty();
}

Result<WindowEvent> EventWindow::far_event(std::uint64_t row) const {
  MERIDIAN_TRY(const MergedEvent event, trace_->event(row));
  return WindowEvent::of(event);
}

}  // namespace meridian
