// SPDX-License-Identifier: Apache-2.0
#pragma once

// The readers' side of trace/model/small_records.hpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trace/format/chunks/state_archive.hpp"
#include "trace/model/small_records.hpp"
#include "trace/records/record.hpp"
#include "trace/records/stack_table.hpp"

namespace meridian {

/// The calls to which small records of a thread may refer at a point of its stream.
class KnownCalls {
 public:
  /// A small record as a whole one.
  struct Call {
    std::size_t words = 0;  ///< of the small record
    RecordHead head;
    std::span<const std::uint64_t> body;  ///< valid until the next record
    std::uint64_t site = 0;               ///< 0: none
    bool is_part = false;                 ///< it is being stored: the body is not known
  };

  /// What the events of an entry's calls have in common; made by the reader of events, valid until the entry changes.
  struct Prepared {
    bool is_ready = false;
    std::uint8_t flags = 0;
    std::uint8_t fixed = 0;  ///< words of rows at the beginning of the body
    std::uint8_t body = 0;   ///< words; completions follow the rows
    Payload payload{};
    CallId call{};
    ThreadStacks::Site site;  ///< with kFlagSite
  };

  /// The beginning of a block or thread, or an abandoned call.
  void clear() noexcept;

  /// Takes the first record of `words`, a small one. `last_ticks`: leave of the record before. nullopt: it refers to no call, or
  /// is longer than `words`.
  std::optional<Call> take(std::span<const std::uint64_t> words, std::uint64_t last_ticks);

  /// By entry; nullptr: there are no entries yet.
  Prepared* prepared() noexcept { return prepared_.empty() ? nullptr : prepared_.data(); }
  const Prepared* prepared() const noexcept { return prepared_.empty() ? nullptr : prepared_.data(); }
  /// The call of an entry; a header of 0: the entry is empty. Only with prepared().
  const LearnedCalls::Key& key(std::size_t entry) const noexcept { return calls_->keys[entry]; }
  const std::uint64_t* body(std::size_t entry) const noexcept { return calls_->bodies[entry]; }
  /// Changes the body of the entry as the first record of `words`, a complete small one, says. `body`: words of the entry's body.
  /// Returns the words of the record; 0: it is not valid, or longer than `words`.
  std::size_t change(std::size_t entry, std::size_t body, std::span<const std::uint64_t> words) noexcept;

  /// Called for each whole record. False: it is marked as learned, but is no usual one.
  bool see(std::span<const std::uint64_t> record);

  /// As cut_record(), for small records, too, which become whole ones; these are valid until the next call. For readers that
  /// begin with a block.
  Cut cut(std::span<const std::uint64_t> words, std::uint64_t block_left, std::uint64_t last_ticks);

  template <class Archive>
  void archive(Archive& archive) {
    std::vector<std::uint64_t> used;
    if constexpr (!Archive::is_reading) used = state();
    archive(used);
    if constexpr (Archive::is_reading) is_consistent_ = restore(used);
  }
  /// Whether what was restored is a table.
  bool is_consistent() const noexcept { return is_consistent_; }

 private:
  std::vector<std::uint64_t> state() const;
  bool restore(std::span<const std::uint64_t> state);

  void make();

  std::unique_ptr<LearnedCalls> calls_;  // null: none yet
  std::vector<Prepared> prepared_;       // by entry
  bool is_empty_ = true;
  bool is_consistent_ = true;
  std::vector<std::uint64_t> whole_;  // of cut()
};

}  // namespace meridian
