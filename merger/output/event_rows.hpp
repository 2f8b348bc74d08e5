// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "merged/model/stored_events.hpp"
#include "merger/output/write_numbers.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes /events and its part of /index, in global order.
class EventRows {
 public:
  /// columns  of kEventColumns that the file gets
  static Result<EventRows> create(ColumnParent file, std::size_t locations, std::size_t columns);

  /// location  below the number of locations.
  /// event     `skipped` is filled in from `sequence`, the number of the call in its thread.
  Status append(std::uint32_t location, std::int64_t enter_ns, std::int64_t duration_ns, std::uint64_t sequence,
                StoredEvent event);
  /// Rows appended so far.
  std::uint64_t size() const noexcept { return written_; }
  /// The sequence of the location's next call, if none is missing.
  std::uint64_t next_sequence(std::uint32_t location) const { return next_sequence_[location]; }
  Status finish();

 private:
  EventRows(StoredEventWriter rows, NumberWriter enter, NumberWriter leave, NumberWriter sequence)
      : rows_{std::move(rows)},
        index_enter_{std::move(enter)},
        index_leave_{std::move(leave)},
        index_sequence_{std::move(sequence)} {}
  Status begin_block(std::int64_t enter_ns);

  StoredEventWriter rows_;
  NumberWriter index_enter_, index_leave_, index_sequence_;
  std::vector<std::uint64_t> next_sequence_;  // [locations]
  std::uint64_t written_ = 0;
  std::uint64_t sequence_rows_ = kIndexRows;
  std::int64_t last_enter_ns_ = 0;
  std::int64_t latest_leave_ns_ = 0;
};

}  // namespace meridian
