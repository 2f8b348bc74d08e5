// SPDX-License-Identifier: Apache-2.0
#include "merged/event_blocks.hpp"

#include <string>
#include <utility>

namespace meridian {
namespace {

constexpr std::uint32_t kAlwaysRead = 0b111;  // step, duration and location
constexpr std::uint32_t kOrderColumns = 0b1101;
constexpr std::uint32_t kOptionalColumns = 0b11u << kEventColumnsAlways;
constexpr std::uint64_t kPiecesPerBlock = kIndexRows / kPieceRows;
static_assert(kIndexRows % kPieceRows == 0);
// Bit i of EventField is column 3 + i.
static_assert(kEventColumns.list[3].name == "skipped" && kFieldSequence == 1);
static_assert(kEventColumns.list[6].name == "comm" && kFieldComm == 1 << 3);
static_assert(kEventColumns.list[12].name == "path" && kFieldPath == 1 << 9);

}  // namespace

Result<EventBlocks> EventBlocks::open(hid_t file, const EventIndex& index, const std::vector<MergedLocation>& locations,
                                      std::uint32_t fields) {
  using Reader = LongTableReader<StoredEvent>;
  MERIDIAN_TRY(Reader rows, Reader::open(file, kEvents, kEventColumns, kAlwaysRead | fields << 3, kOptionalColumns));
  MERIDIAN_TRY(Reader order, Reader::open(file, kEvents, kEventColumns, kOrderColumns, kOptionalColumns));
  MERIDIAN_TRY(ColumnReader sequences, ColumnReader::open(file, std::string{kIndex} + "/sequence"));
  const bool is_index_whole = locations.empty() ? sequences.size() == 0 : sequences.size() % locations.size() == 0;
  const std::uint64_t readings = locations.empty() ? 0 : sequences.size() / locations.size();
  EventBlocks blocks{std::move(rows), std::move(order), std::move(sequences),
                     index,           locations,        (fields & kFieldSequence) != 0};
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

/// A block begins with an enter of its own.
void EventBlocks::enter_block(std::uint64_t piece, const StoredEvent& first) {
  if (piece % kPiecesPerBlock != 0) return;
  enter_ns_ = static_cast<std::uint64_t>(index_->enter_ns[static_cast<std::size_t>(piece / kPiecesPerBlock)]) -
              static_cast<std::uint64_t>(first.step_ns);
}

Status EventBlocks::pass(std::uint64_t piece) {
  MERIDIAN_TRY(const auto rows, order_.piece(piece));
  enter_block(piece, rows.front());
  for (const StoredEvent& row : rows) {
    enter_ns_ += static_cast<std::uint64_t>(row.step_ns);
    if (!has_sequences_) continue;
    const auto at = static_cast<std::uint32_t>(row.location);
    if (at >= next_.size()) return damaged_merged("an event has a thread that is not there");
    next_[at] += static_cast<std::uint64_t>(row.skipped) + 1;
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
  while (next_piece_ < piece) MERIDIAN_TRY_DO(pass(next_piece_));
  return {};
}

Status EventBlocks::read(std::uint64_t piece, std::vector<MergedEvent>& events) {
  MERIDIAN_TRY_DO(position(piece));
  next_piece_ = UINT64_MAX;  // until it is complete
  MERIDIAN_TRY(const auto rows, rows_.piece(piece));
  enter_block(piece, rows.front());
  std::uint64_t number = piece * kPieceRows;
  for (const StoredEvent& row : rows) {
    const auto at = static_cast<std::uint32_t>(row.location);
    if (at >= locations_->size()) return damaged_merged("an event has a thread that is not there");
    enter_ns_ += static_cast<std::uint64_t>(row.step_ns);
    std::uint64_t sequence = 0;
    if (has_sequences_) {
      sequence = next_[at] + static_cast<std::uint64_t>(row.skipped);
      next_[at] = sequence + 1;
    }
    const MergedLocation& thread = (*locations_)[at];
    const MergedEvent& event = events.emplace_back(MergedEvent{
        number++, static_cast<std::int64_t>(enter_ns_), row.duration_ns, sequence,
        static_cast<std::uint64_t>(row.bytes_sent), static_cast<std::uint64_t>(row.bytes_received), at, thread.rank,
        thread.thread, static_cast<std::uint32_t>(row.call), static_cast<std::uint32_t>(row.flags), row.comm, row.peer,
        row.tag, static_cast<std::uint32_t>(row.site), static_cast<std::uint32_t>(row.path), 0, 0});
    if (!is_time(event.enter_ns) || event.duration_ns < 0 || !is_time(event.duration_ns))
      return damaged_merged("an event has an invalid time");
  }
  next_piece_ = piece + 1;
  return {};
}

}  // namespace meridian
