// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merged/merged_trace.hpp"
#include "merged/model/stored_events.hpp"
#include "merged/read_numbers.hpp"

namespace meridian {

/// The index of events, shared by all readers of them.
struct EventIndex {
  std::uint64_t events = 0;
  std::uint64_t sequence_rows = kIndexRows;   ///< between two entries of `index/sequence`
  std::vector<std::int64_t> enter_ns;         ///< [block]
  std::vector<std::int64_t> latest_leave_ns;  ///< [block]

  std::uint64_t blocks() const noexcept { return enter_ns.size(); }
};

/// Decodes events, a piece of kPieceRows at a time: quickly in order, otherwise from the beginning of a block on.
class EventBlocks {
 public:
  /// fields  of EventField: the others keep their default values.
  static Result<EventBlocks> open(hid_t file, const EventIndex& index, const std::vector<MergedLocation>& locations,
                                  std::uint32_t fields = kAllFields);

  /// Stores the events of a piece, in order and without links, in `events` from `first` on, which grows if it must.
  /// Returns the place after them.
  Result<std::size_t> read(std::uint64_t piece, std::vector<MergedEvent>& events, std::size_t first);
  /// The number of each location's next call at the beginning of an entry (number * sequence_rows).
  Result<std::vector<std::uint64_t>> reading(std::uint64_t number);
  std::uint64_t readings() const noexcept {
    return (index_->events + index_->sequence_rows - 1) / index_->sequence_rows;
  }

 private:
  EventBlocks(StoredEventReader rows, ColumnReader sequences, const EventIndex& index,
              const std::vector<MergedLocation>& locations, bool has_sequences)
      : rows_{std::move(rows)},
        sequences_{std::move(sequences)},
        index_{&index},
        locations_{&locations},
        has_sequences_{has_sequences} {}
  Status position(std::uint64_t piece);
  /// Calls action(place in the block, row's time, its event, number of the call) for each row of a piece.
  template <class Action>
  Status walk(std::uint64_t piece, Action&& action);

  StoredEventReader rows_;
  ColumnReader sequences_;
  const EventIndex* index_;
  const std::vector<MergedLocation>* locations_;
  bool has_sequences_;
  // At the beginning of piece next_piece_.
  std::uint64_t next_piece_ = UINT64_MAX;
  std::uint64_t enter_ns_ = 0;       // of the event before
  std::vector<std::uint64_t> next_;  // [location]: number of its next call
};

}  // namespace meridian
