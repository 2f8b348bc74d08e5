// SPDX-License-Identifier: Apache-2.0
#pragma once

// Splits a ring's words into records, and records into their parts.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "trace/format/rank/batch_rows.hpp"
#include "trace/model/event.hpp"
#include "trace/model/small_records.hpp"

namespace meridian {

inline constexpr std::size_t kHeadWords = words_of<RecordHead>;

template <class T>
T load_words(const std::uint64_t* words) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(static_cast<void*>(&value), words, sizeof value);
  return value;
}

/// Words between the head and the variable part of a record: completions, values, text.
constexpr std::size_t fixed_words(Payload payload) noexcept {
  switch (payload) {
#define MERIDIAN_EVENT(payload, Row, table) \
  case Payload::payload:                    \
    return words_of<Row>;
#define MERIDIAN_PAIR(payload, of, Row, table) \
  case Payload::payload:                       \
    return 2 * words_of<Row>;
#define MERIDIAN_OTHER(payload, Body) \
  case Payload::payload:              \
    return words_of<Body>;
#include "trace/model/payloads.def"
    case Payload::none:
    case Payload::pad:
    case Payload::local:
    case Payload::requests:
      break;
  }
  return 0;
}

/// One record. Its words are those of the ring or a copy; only a call in progress may have too few words for a head.
struct Record {
  RecordHead head;
  std::span<const std::uint64_t> words;

  Payload payload() const noexcept { return static_cast<Payload>(head.header.payload); }
  bool has(RecordFlag flag) const noexcept { return (head.header.flags & flag) != 0; }
  /// Whether recording was switched off at that time. User events use this flag for another purpose.
  bool is_hidden() const noexcept { return has(kFlagHidden) && payload() != Payload::user; }
  const std::uint64_t* body() const noexcept { return words.data() + kHeadWords; }
  std::size_t body_words() const noexcept { return words.size() - kHeadWords; }
  /// The fixed part, as long as body_words() has room for it.
  template <class T>
  T body_as() const noexcept {
    return load_words<T>(body());
  }
};

/// The head of a whole record, without the mark of learned ones.
inline RecordHead whole_head(const std::uint64_t* words) noexcept {
  auto head = load_words<RecordHead>(words);
  head.header.payload &= static_cast<std::uint8_t>(~(kLearnedRecord >> 16));
  return head;
}

/// The first record of a stream of words.
struct Cut {
  enum class Kind : std::uint8_t { damage, pad, record };
  Kind kind = Kind::damage;
  std::size_t words = 0;  ///< distance to the next record; 0: damage
  Record record{};
};

/// Takes the first record of `words`, which are not empty: a whole one. `block_left`: words left in the block, which no
/// record crosses and a pad fills.
inline Cut cut_record(std::span<const std::uint64_t> words, std::uint64_t block_left) noexcept {
  if (is_small(words.front())) return {};
  const auto header = load_words<RecordHeader>(words.data());
  if (header.words == 0 || header.words > block_left || header.words > words.size()) return {};
  if (header.payload == static_cast<std::uint8_t>(Payload::pad))
    return header.words == block_left ? Cut{.kind = Cut::Kind::pad, .words = header.words} : Cut{};
  if (header.words < kHeadWords) return {};
  return {.kind = Cut::Kind::record,
          .words = header.words,
          .record = {whole_head(words.data()), words.first(header.words)}};
}

/// The parts of a call's record after its fixed part, in this order.
struct CallParts {
  std::span<const std::uint64_t> values;       ///< of a user event
  std::span<const std::uint64_t> completions;  ///< Completion entries
  std::span<const std::uint64_t> site;         ///< one word, or none
  std::span<const std::uint64_t> rest;         ///< counters: all at enter, then all at leave
};

/// nullopt: the record has fewer words than its head requires.
inline std::optional<CallParts> parts_of(const Record& record) noexcept {
  const std::size_t fixed = fixed_words(record.payload());
  if (record.words.size() < kHeadWords + fixed) return std::nullopt;
  const std::size_t values = record.payload() == Payload::user ? record.body_as<UserUse>().words : 0;
  const std::size_t completions = record.head.header.completions * words_of<Completion>;
  const std::size_t site = record.has(kFlagSite) ? 1 : 0;
  std::span<const std::uint64_t> rest = record.words.subspan(kHeadWords + fixed);
  if (rest.size() < values + completions + site) return std::nullopt;
  const auto take = [&rest](std::size_t count) {
    const auto taken = rest.first(count);
    rest = rest.subspan(count);
    return taken;
  };
  CallParts parts;
  parts.values = take(values);
  parts.completions = take(completions);
  parts.site = take(site);
  parts.rest = rest;
  return parts;
}

}  // namespace meridian
