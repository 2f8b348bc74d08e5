// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by the files of RecordDecoder, and only by them.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "trace/records/record_decoder.hpp"
#include "trace/records/record_words.hpp"

namespace meridian {

inline constexpr std::size_t kHeadWords = words_of<RecordHead>;

// Words between the head and the completions.
constexpr std::size_t fixed_words(Payload payload) noexcept {
  switch (payload) {
    case Payload::p2p:
      return words_of<PointToPoint>;
    case Payload::sendrecv:
      return 2 * words_of<PointToPoint>;
    case Payload::coll:
      return words_of<Collective>;
    case Payload::comm:
      return words_of<CommBirth>;
    case Payload::rma:
      return words_of<Rma>;
    case Payload::io:
      return words_of<FileAccess>;
    case Payload::handle:
      return words_of<HandleUse>;
    case Payload::lock:
      return words_of<LockUse>;
    case Payload::thread_op:
      return words_of<ThreadOp>;
    case Payload::thread:
      return words_of<ThreadBegin>;
    case Payload::anchor:
      return words_of<Anchor>;
    case Payload::exchange:
      return words_of<Exchange>;
    case Payload::members:
      return words_of<Members>;
    case Payload::text:
      return words_of<Text>;
    case Payload::overhead:
      return words_of<Overhead>;
    case Payload::usage:
      return words_of<Usage>;
    case Payload::user:
      return words_of<UserUse>;
    case Payload::stack:
      return words_of<StackNode>;
    case Payload::none:
    case Payload::pad:
    case Payload::local:
    case Payload::requests:
      break;
  }
  return 0;
}

struct RecordDecoder::Record {
  RecordHead head;
  std::span<const std::uint64_t> words;  // all of it

  Payload payload() const noexcept { return static_cast<Payload>(head.header.payload); }
  bool has(RecordFlag flag) const noexcept { return (head.header.flags & flag) != 0; }
  const std::uint64_t* body() const noexcept { return words.data() + kHeadWords; }
  std::size_t body_words() const noexcept { return words.size() - kHeadWords; }
};

struct RecordDecoder::Slot {
  std::uint64_t position = 0;
  std::uint64_t last_ticks = 0;  // of the record before
  bool is_stopped = false;
  bool is_text_open = false;  // the next text goes on with the last
  bool is_more_expected = false;
  std::size_t thread_row = SIZE_MAX;  // in RankMeta::threads; SIZE_MAX: no thread yet
  std::size_t last_text = SIZE_MAX;
  std::size_t last_birth = SIZE_MAX;
  std::size_t last_members = SIZE_MAX;
  struct StackPlace {
    std::uint32_t row = 0;  // in RankMeta::stacks; kNoRow: there are too many
    std::uint64_t address = 0;
  };
  static constexpr std::uint32_t kNoRow = UINT32_MAX;
  std::vector<StackPlace> stacks;  // of the thread; a StackNode's id less 1
  EventBatch batch;
  std::vector<std::uint64_t> counters;  // as read at the leave of the last event that has them; empty: none yet
};

}  // namespace meridian
