// SPDX-License-Identifier: Apache-2.0
#include "merger/output/event_rows.hpp"

#include <algorithm>
#include <limits>

namespace meridian {
namespace {

// Each entry of index/sequence has 8 bytes a location, so with many locations entries are farther apart.
constexpr std::uint64_t kRowsPerLocation = 32;

}  // namespace

Result<EventRows> EventRows::create(ColumnParent file, std::size_t locations, std::size_t columns) {
  MERIDIAN_TRY(StoredEventWriter stored, StoredEventWriter::create(file, columns));
  MERIDIAN_TRY(NumberWriter enter, create_numbers(file, kIndexEnter));
  MERIDIAN_TRY(NumberWriter leave, create_numbers(file, kIndexLeave));
  MERIDIAN_TRY(NumberWriter sequence, create_numbers(file, kIndexSequence));
  EventRows rows{std::move(stored), std::move(enter), std::move(leave), std::move(sequence)};
  rows.next_sequence_.resize(locations);
  while (rows.sequence_rows_ < kRowsPerLocation * locations) rows.sequence_rows_ += kIndexRows;
  MERIDIAN_TRY_DO(h5::write_attribute(file.id, kSequenceRows, static_cast<std::int64_t>(rows.sequence_rows_)));
  return rows;
}

Status EventRows::begin_block(std::int64_t enter_ns) {
  if (written_ != 0) MERIDIAN_TRY_DO(index_leave_.push(latest_leave_ns_));
  latest_leave_ns_ = std::numeric_limits<std::int64_t>::min();
  MERIDIAN_TRY_DO(index_enter_.push(enter_ns));
  if (written_ % sequence_rows_ != 0) return {};
  for (const std::uint64_t sequence : next_sequence_)
    MERIDIAN_TRY_DO(index_sequence_.push(static_cast<std::int64_t>(sequence)));
  return {};
}

Status EventRows::append(std::uint32_t location, std::int64_t enter_ns, std::int64_t duration_ns,
                         std::uint64_t sequence, StoredEvent event) {
  if (written_ % kIndexRows == 0) MERIDIAN_TRY_DO(begin_block(enter_ns));
  ++written_;
  latest_leave_ns_ = std::max(latest_leave_ns_, enter_ns + duration_ns);
  const StoredTime time{.step_ns = enter_ns - std::exchange(last_enter_ns_, enter_ns),
                        .duration_ns = duration_ns,
                        .location = static_cast<std::int32_t>(location)};
  event.skipped = static_cast<std::int64_t>(sequence - std::exchange(next_sequence_[location], sequence + 1));
  return rows_.push(time, event) ? rows_.store() : Status{};
}

Status EventRows::finish() {
  if (written_ != 0) MERIDIAN_TRY_DO(index_leave_.push(latest_leave_ns_));
  MERIDIAN_TRY_DO(rows_.finish());
  MERIDIAN_TRY_DO(index_enter_.finish());
  MERIDIAN_TRY_DO(index_leave_.finish());
  return index_sequence_.finish();
}

}  // namespace meridian
