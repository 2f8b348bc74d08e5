// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decodes the words of a ring into the tables of a rank file.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/records/slot_decoder.hpp"

namespace meridian {

/// Decodes the streams of all slots of one ring, each fed in order. Calls are passed to the sink in batches of one
/// thread; everything else goes into RankMeta. An invalid record ends its slot's stream: later records could be matched
/// wrongly, which is worse than missing. Each such end adds 1 to damaged(). Memory is bounded: a batch is passed on
/// when it is long, or when the slots together hold many events.
class RecordDecoder {
 public:
  using Sink = BatchSink;

  RecordDecoder(std::uint32_t slot_count, std::uint64_t block_bytes, RankMeta& meta, Sink sink);

  /// Takes complete records of a slot, beginning at stream position `position`. A part that was fed before is skipped;
  /// a gap ends the stream as damaged. errors: those of the sink.
  Status feed(std::uint32_t slot, std::uint64_t position, std::span<const std::uint64_t> words);

  /// Takes the words after a slot's last complete record: the call in progress, if there is one. It becomes an event
  /// with kFlagUnfinished. Its completions have only their requests (bytes: kNotKnown).
  Status feed_unfinished(std::uint32_t slot, std::span<const std::uint64_t> words);

  /// Passes on the rest, and sorts the tables of RankMeta in an order that does not depend on when rings were drained.
  Status finish();

  /// Saves the state of decoding, with the tables of RankMeta. Before finish().
  void save(StateWriter& archive) const;
  /// For a new decoder of the same ring, which then continues as if decoding had never stopped. False: the state is
  /// damaged, and this decoder cannot be used.
  bool restore(StateReader& archive);

  /// Stream position after the fed words.
  std::uint64_t position(std::uint32_t slot) const { return slots_[slot] ? slots_[slot]->position() : 0; }
  bool is_stopped(std::uint32_t slot) const { return slots_[slot] && slots_[slot]->is_stopped(); }
  /// Calls decoded so far, and number of ends of streams by damage.
  std::uint64_t events() const noexcept { return shared_.events; }
  std::uint64_t damaged() const noexcept { return shared_.damaged; }

 private:
  SlotDecoder& slot_at(std::uint32_t index);

  std::uint64_t block_bytes_;
  SharedTables shared_;
  std::vector<std::unique_ptr<SlotDecoder>> slots_;  // null: nothing was fed yet
};

}  // namespace meridian
