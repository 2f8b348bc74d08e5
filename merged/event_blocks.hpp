// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "merged/column_block.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// The index of events, shared by all readers of them.
struct EventIndex {
  std::uint64_t events = 0;
  std::uint64_t sequence_rows = kIndexRows;   ///< between two entries of `index/sequence`
  std::vector<std::int64_t> enter_ns;         ///< [block]
  std::vector<std::int64_t> latest_leave_ns;  ///< [block]

  std::uint64_t blocks() const noexcept { return enter_ns.size(); }
};

/// Decodes blocks of events.
class EventBlocks {
 public:
  static Result<EventBlocks> open(hid_t file, const EventIndex& index, const std::vector<MergedLocation>& locations);

  /// All events of a block, in order; without links.
  Status read(std::uint64_t block, std::vector<MergedEvent>& events);
  /// The number of each location's next call at the beginning of an entry (number * sequence_rows).
  Result<std::vector<std::uint64_t>> reading(std::uint64_t number);
  std::uint64_t readings() const noexcept {
    return (index_->events + index_->sequence_rows - 1) / index_->sequence_rows;
  }

 private:
  struct Columns {
    LongBlock step, duration, skipped, bytes_sent, bytes_received;
    ShortBlock location, call, flags, comm, peer, tag;
    std::optional<ShortBlock> site, path;
  };
  EventBlocks(Columns columns, ColumnReader sequences, const EventIndex& index,
              const std::vector<MergedLocation>& locations)
      : columns_{std::move(columns)}, sequences_{std::move(sequences)}, index_{&index}, locations_{&locations} {}
  Status position(std::uint64_t block);
  Status count(std::uint64_t block);

  Columns columns_;
  ColumnReader sequences_;
  const EventIndex* index_;
  const std::vector<MergedLocation>* locations_;
  std::vector<std::uint64_t> next_;  // [location], at the beginning of block next_block_
  std::uint64_t next_block_ = UINT64_MAX;
};

}  // namespace meridian
