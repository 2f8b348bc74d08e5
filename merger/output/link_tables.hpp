// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "merger/model/event_ref.hpp"
#include "merger/output/event_table.hpp"
#include "merger/output/row_map.hpp"
#include "merger/output/write_numbers.hpp"
#include "trace/containers/sorted_spool.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A row number and a number that belongs to it.
struct PlacedRow {
  std::uint64_t key = 0;
  std::uint64_t number = 0;
};

/// Writes an order of a table: for each place in it the number of the row there, minus the place; and its index.
class OrderColumn {
 public:
  OrderColumn(std::shared_ptr<TempFile> scratch) : rows_{std::move(scratch)} {}
  /// In order of `number`, beginning at 0.
  Status append(std::uint64_t key, std::uint64_t number) { return rows_.append({key, number}); }
  Status write(ColumnParent file, const NumberColumn& order, const NumberColumn& index);

 private:
  SortedSpool<PlacedRow> rows_;
};

/// Collects messages on disk, and writes /messages when all rows of events are known.
class MessageLinks {
 public:
  /// Its ends are slots of a RowMap.
  struct Message {
    std::uint64_t key = 0;  ///< the sending call; while messages are written, the rows instead of the slots
    std::uint64_t post = 0;
    std::uint64_t completion = 0;
    std::uint64_t bytes = 0;
    std::uint32_t comm = 0;
    std::int32_t tag = 0;
  };

  explicit MessageLinks(std::shared_ptr<TempFile> scratch) : scratch_{std::move(scratch)}, messages_{scratch_} {}
  Status append(std::span<const MatchedMessage> messages, const EventTable& events);
  /// seal() reports its errors.
  void append(const Message& message) { messages_.append(message); }
  Status seal() { return messages_.seal(); }
  /// Called after the events have been finished: their columns are read back from `file`.
  Status write(ColumnParent file, const RowMap& rows);

 private:
  std::shared_ptr<TempFile> scratch_;
  TempSpool<Message> messages_;
};

/// Collects participants of collectives on disk, and writes /collectives and /parts.
class CollectiveLinks {
 public:
  struct Part {
    std::uint64_t instance = 0;
    std::uint64_t start = 0;  ///< slots of a RowMap
    std::uint64_t completion = 0;
    std::uint32_t comm = 0;
    std::int32_t root = 0;
    std::int32_t comm_rank = 0;
    std::int32_t shape = 0;
  };

  explicit CollectiveLinks(std::shared_ptr<TempFile> scratch) : scratch_{std::move(scratch)}, parts_{scratch_} {}
  /// The parts of an instance are consecutive.
  Status append(std::span<const CollectivePart> parts, const EventTable& events);
  /// The same; seal() reports errors.
  void append(const Part& part) { parts_.append(part); }
  Status seal() { return parts_.seal(); }
  Status write(ColumnParent file, const RowMap& rows);

 private:
  std::shared_ptr<TempFile> scratch_;
  TempSpool<Part> parts_;
};

/// Collects awaited calls on disk, and writes /awaited if there are any.
class AwaitedLinks {
 public:
  struct Awaited {
    std::uint64_t key = 0;  ///< slots of a RowMap; while calls are written, rows
    std::uint64_t causer = 0;
    std::int64_t kind = 0;
  };

  explicit AwaitedLinks(std::shared_ptr<TempFile> scratch) : scratch_{std::move(scratch)}, calls_{scratch_} {}
  /// Those of one call in the order in which they are stored.
  Status append(std::span<const AwaitedCall> calls, const EventTable& events);
  /// The same; seal() reports errors.
  void append(const Awaited& call) { calls_.append(call); }
  Status seal() { return calls_.seal(); }
  Status write(ColumnParent file, const RowMap& rows);

 private:
  std::shared_ptr<TempFile> scratch_;
  TempSpool<Awaited> calls_;
};

/// Collects the values of user events on disk, and writes /user_values if there are any.
class UserValueLinks {
 public:
  struct Word {
    std::uint64_t key = 0;  ///< slot of a RowMap; while words are written, the row
    std::uint64_t word = 0;
  };

  explicit UserValueLinks(std::shared_ptr<TempFile> scratch) : scratch_{std::move(scratch)}, words_{scratch_} {}
  /// Those of one event in their order. seal() reports errors.
  void append(const Word& word) { words_.append(word); }
  Status seal() { return words_.seal(); }
  Status write(ColumnParent file, const RowMap& rows);

 private:
  std::shared_ptr<TempFile> scratch_;
  TempSpool<Word> words_;
};

}  // namespace meridian
