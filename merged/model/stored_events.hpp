// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merged/model/merged_schema.hpp"
#include "merged/model/merged_tables.hpp"
#include "trace/format/tables/long_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The order in which a block of /events is stored: thread by thread. A thread repeats itself, its neighbours in time do
/// not, so its columns take a third of the room. `order[k]` is the row, counted in the block, of the k-th stored row.
void order_by_location(std::span<const StoredTime> rows, std::vector<std::uint32_t>& order);

/// Writes /events a row at a time.
class StoredEventWriter {
 public:
  /// columns  of kEventColumns that the file gets
  static Result<StoredEventWriter> create(ColumnParent file, std::size_t columns);
  /// Adds a row; true: a block is complete, and store() comes next.
  bool push(const StoredTime& time, const StoredEvent& event) {
    block_times_.push_back(time);
    block_.push_back(event);
    return block_.size() == kIndexRows;
  }
  Status store();
  Status finish();

 private:
  StoredEventWriter(LongTableWriter<StoredTime> times, LongTableWriter<StoredEvent> events)
      : times_{std::move(times)}, events_{std::move(events)} {}
  LongTableWriter<StoredTime> times_;
  LongTableWriter<StoredEvent> events_;
  std::vector<StoredTime> block_times_;
  std::vector<StoredEvent> block_;  // in order of time
  std::vector<StoredEvent> piece_;  // as they are stored
  std::vector<std::uint32_t> order_;
};

/// Reads /events by blocks of kIndexRows, and keeps the last one.
class StoredEventReader {
 public:
  /// wanted     bit i: column i of kEventColumns is read
  /// has_times  false: of the times, only the location is read
  static Result<StoredEventReader> open(hid_t file, std::uint32_t wanted, bool has_times = true);
  std::uint64_t size() const noexcept { return times_.size(); }

  struct Block {
    std::vector<StoredTime> times;     ///< in order of time
    std::vector<StoredEvent> events;   ///< as they are stored
    std::vector<std::uint32_t> place;  ///< [row in order of time]: index in `events`
    const StoredEvent& event(std::size_t row) const { return events[place[row]]; }
  };
  /// Until the next call. errors: damaged, io.
  Result<const Block*> block(std::uint64_t number);

 private:
  StoredEventReader(LongTableReader<StoredTime> times, LongTableReader<StoredEvent> events)
      : times_{std::move(times)}, events_{std::move(events)} {}
  Status read(std::uint64_t number);

  LongTableReader<StoredTime> times_;
  LongTableReader<StoredEvent> events_;
  Block block_;
  std::uint64_t number_ = UINT64_MAX;  // of block_; UINT64_MAX: none
  std::vector<std::uint32_t> order_;
};

}  // namespace meridian
