// SPDX-License-Identifier: Apache-2.0
#include "merged/event_blocks.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace meridian {
namespace {

static_assert(kIndexRows % kPieceRows == 0);
// Bit i of EventField is column i.
static_assert(kEventColumns.list[0].name == "skipped" && kFieldSequence == 1);
static_assert(kEventColumns.list[3].name == "comm" && kFieldComm == 1 << 3);
static_assert(kEventColumns.list[9].name == "outside_ns" && kFieldOutside == 1 << 9);
static_assert(kEventColumns.list[11].name == "path" && kFieldPath == 1 << 11);

}  // namespace

Result<EventBlocks> EventBlocks::open(hid_t file, const EventIndex& index, const std::vector<MergedLocation>& locations,
                                      std::uint32_t fields) {
  MERIDIAN_TRY(StoredEventReader rows, StoredEventReader::open(file, fields));
  MERIDIAN_TRY(ColumnReader sequences, ColumnReader::open(file, std::string{kIndex} + "/sequence"));
  const bool is_index_whole = locations.empty() ? sequences.size() == 0 : sequences.size() % locations.size() == 0;
  const std::uint64_t readings = locations.empty() ? 0 : sequences.size() / locations.size();
  EventBlocks blocks{std::move(rows), std::move(sequences), index, locations, (fields & kFieldSequence) != 0};
  if (blocks.rows_.size() != index.events || !is_index_whole || (!locations.empty() && readings != blocks.readings()) ||
      (locations.empty() && index.events != 0))
    return damaged_merged("the index of events contradicts them");
  return blocks;
}

Result<std::vector<std::uint64_t>> EventBlocks::reading(std::uint64_t number) {
  std::vector<std::uint64_t> next(locations_->size());
  MERIDIAN_TRY_DO(sequences_.read(number * next.size(), std::span<std::uint64_t>{next}));
  return next;
}

template <class Action>
Status EventBlocks::walk(std::uint64_t piece, Action&& action) {
  const std::uint64_t number = piece / kPiecesPerBlock;
  MERIDIAN_TRY(const auto* const block, rows_.block(number));
  next_piece_ = UINT64_MAX;  // until it is complete
  const auto first = static_cast<std::size_t>(piece % kPiecesPerBlock * kPieceRows);
  const std::size_t end = std::min(block->times.size(), first + kPieceRows);
  if (first == 0)  // a block begins with an enter of its own
    enter_ns_ = static_cast<std::uint64_t>(index_->enter_ns[static_cast<std::size_t>(number)]) -
                static_cast<std::uint64_t>(block->times.front().step_ns);
  for (std::size_t i = first; i < end; ++i) {
    const StoredTime& time = block->times[i];
    const auto at = static_cast<std::uint32_t>(time.location);
    if (at >= locations_->size()) return damaged_merged("an event has a thread that is not there");
    enter_ns_ += static_cast<std::uint64_t>(time.step_ns);
    std::uint64_t sequence = 0;
    if (has_sequences_) {
      sequence = next_[at] + static_cast<std::uint64_t>(block->event(i).skipped);
      next_[at] = sequence + 1;
    }
    MERIDIAN_TRY_DO(action(time, block->event(i), sequence));
  }
  next_piece_ = piece + 1;
  return {};
}

Status EventBlocks::position(std::uint64_t piece) {
  if (next_piece_ == piece) return {};
  std::uint64_t first = piece / kPiecesPerBlock * kPiecesPerBlock;
  const std::uint64_t reading_number = piece * kPieceRows / index_->sequence_rows;
  if (has_sequences_) first = reading_number * index_->sequence_rows / kPieceRows;
  if (next_piece_ > piece || next_piece_ < first) {
    next_piece_ = UINT64_MAX;  // until it is complete
    if (has_sequences_) {
      MERIDIAN_TRY(next_, reading(reading_number));
    }
    next_piece_ = first;
  }
  const auto pass = [](const StoredTime&, const StoredEvent&, std::uint64_t) { return Status{}; };
  while (next_piece_ < piece) MERIDIAN_TRY_DO(walk(next_piece_, pass));
  return {};
}

Result<std::size_t> EventBlocks::read(std::uint64_t piece, std::vector<MergedEvent>& events, std::size_t first) {
  MERIDIAN_TRY_DO(position(piece));
  std::uint64_t number = piece * kPieceRows;
  const std::size_t end = first + static_cast<std::size_t>(std::min(kPieceRows, index_->events - number));
  // Members are set in their places: to make or copy an event takes as long as all the rest.
  if (events.size() < end) events.resize(end);
  std::size_t next = first;
  MERIDIAN_TRY_DO(walk(piece, [&](const StoredTime& time, const StoredEvent& row, std::uint64_t sequence) -> Status {
    if (next == end) return damaged_merged("there are more events than in their index");
    const auto at = static_cast<std::uint32_t>(time.location);
    const MergedLocation& thread = (*locations_)[at];
    MergedEvent& event = events[next++];
    event.row = number++;
    event.enter_ns = static_cast<std::int64_t>(enter_ns_);
    event.duration_ns = time.duration_ns;
    event.sequence = sequence;
    event.bytes_sent = static_cast<std::uint64_t>(row.bytes_sent);
    event.bytes_received = static_cast<std::uint64_t>(row.bytes_received);
    event.location = at;
    event.rank = thread.rank;
    event.thread = thread.thread;
    event.call = static_cast<std::uint32_t>(row.call);
    event.flags = static_cast<std::uint32_t>(row.flags);
    event.comm = row.comm;
    event.peer = row.peer;
    event.tag = row.tag;
    event.site = static_cast<std::uint32_t>(row.site);
    event.path = static_cast<std::uint32_t>(row.path);
    event.calls = static_cast<std::uint64_t>(row.calls);
    event.outside_ns = row.outside_ns;
    event.first_link = event.links = 0;
    if (!is_time(event.enter_ns) || event.duration_ns < 0 || !is_time(event.duration_ns) || row.calls < 1 ||
        event.outside_ns < 0 || event.outside_ns > event.duration_ns)
      return damaged_merged("an event has an invalid time");
    return {};
  }));
  return next;
}

}  // namespace meridian
