// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "trace/records/batch_builder.hpp"
#include "trace/records/definition_decoder.hpp"
#include "trace/records/known_calls.hpp"
#include "trace/records/record.hpp"
#include "trace/records/stack_table.hpp"

namespace meridian {

/// Receives the events of one thread.
using BatchSink = std::function<Status(ThreadId, const EventBatch&)>;

/// The data that the slots of a ring share.
struct SharedTables {
  RankMeta& meta;
  BatchSink sink;
  StackTable stacks{meta.stacks};
  std::size_t pending = 0;    // events in the batches of all slots
  std::uint64_t events = 0;   // decoded so far
  std::uint64_t damaged = 0;  // ends of streams by damage, and excess completions
};

/// Decodes the stream of one slot: calls become batches of events, everything else goes into the tables. A slot belongs
/// to one thread at a time.
class SlotDecoder {
 public:
  SlotDecoder(SharedTables& shared, std::uint64_t block_bytes)
      : shared_{shared}, block_bytes_{block_bytes}, definitions_{shared.meta} {}

  // As in RecordDecoder.
  Status feed(std::uint64_t position, std::span<const std::uint64_t> words);
  Status feed_unfinished(std::span<const std::uint64_t> words);
  std::uint64_t position() const noexcept { return position_; }
  bool is_stopped() const noexcept { return is_stopped_; }

  /// Passes on the remaining events. errors: those of the sink
  Status flush();

  template <class Archive>
  void archive(Archive& archive) {
    archive(position_, last_ticks_);
    archive_flag(archive, is_stopped_);
    archive_row(archive, thread_row_);
    definitions_.archive(archive);
    stacks_.archive(archive);
    calls_.archive(archive);
    builder_.archive(archive);
  }
  /// Called after the tables and this have been restored: whether they are consistent. Its events are then pending
  /// again.
  bool restore();

 private:
  /// Takes records from the front of `words` as long as they are usual ones, of which decode() would make the same
  /// events; returns their words.
  std::size_t take_plain(std::span<const std::uint64_t> words);
  /// Takes the first record of `words` if it is usual, whole or small; returns its words, or 0.
  std::size_t take_one_plain(std::span<const std::uint64_t> words, std::uint64_t left);
  /// Takes small records from the front of `words`, which are in one block: usual calls, and not many. Returns their words. take_same()
  /// takes those that change nothing, if there are several.
  std::size_t take_same(std::span<const std::uint64_t> words);
  std::size_t take_small(std::span<const std::uint64_t> words);
  /// False: the entry is empty, or its calls are not usual ones.
  bool prepare(std::size_t entry);
  /// The number of events that the batch has room for; while must_flush() is false.
  std::size_t events_until_flush() const noexcept;
  Status feed_small(std::span<const std::uint64_t> words);
  bool must_flush() const noexcept;
  Status decode(const Record& record, bool& is_valid);
  Status decode_call(const Record& record, bool& is_valid);
  Status decode_polls(const Record& record, bool is_open, bool& is_valid);
  bool begin_thread(const Record& record);
  bool has_counters(const Record& record, std::size_t words);
  Status begin_event(const RecordHead& head);
  void add_completions(const Record& record, std::span<const std::uint64_t> words, bool has_outcome);
  void stop();
  std::uint64_t block_left() const noexcept { return (block_bytes_ - position_ % block_bytes_) / kWordBytes; }
  bool is_block_start() const noexcept { return position_ % block_bytes_ == 0; }
  bool has_thread() const noexcept { return thread_row_ != SIZE_MAX; }
  ThreadRow& thread() { return shared_.meta.threads[thread_row_]; }

  SharedTables& shared_;
  std::uint64_t block_bytes_;
  std::uint64_t position_ = 0;
  std::uint64_t last_ticks_ = 0;  // leave of the last record
  bool is_stopped_ = false;
  std::size_t thread_row_ = SIZE_MAX;  // in RankMeta::threads; SIZE_MAX: no thread yet
  DefinitionDecoder definitions_;
  ThreadStacks stacks_;
  KnownCalls calls_;
  BatchBuilder builder_;
};

}  // namespace meridian
