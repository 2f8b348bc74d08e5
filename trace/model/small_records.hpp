// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small records: calls that resemble an earlier call of the same thread, in the same block of the ring. Writer and readers of a
// ring keep the same table: a whole record with kLearnedRecord enters its call into it, and a small record names the
// entry and has only the words of its body that are different from those of the entry, whose words they replace. The table is empty at the
// beginning of each block and of each thread, and after a record with kFlagAbandoned.
//
//   bit 63      1: a small record
//   bit 62      1: it is being stored; its other words are not valid yet
//   54 to 61    entry
//   38 to 53    bit i: word i of the body follows. For bodies of more than 16 words: 0 or 1 mask word of 64 bits, then the words
//   19 to 37    leave ticks - enter ticks
//    0 to 18    enter ticks - leave ticks of the record before

#include <cstddef>
#include <cstdint>

#include "trace/model/event.hpp"

namespace meridian {

inline constexpr std::uint64_t kSmallRecord = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kSmallPart = std::uint64_t{1} << 62;
inline constexpr unsigned kSmallEntryShift = 54;
inline constexpr unsigned kSmallMaskShift = 38;
inline constexpr unsigned kSmallTickBits = 19;
inline constexpr std::size_t kSmallMaskBits = 16;
/// In the header of a whole record, which is otherwise as usual.
inline constexpr std::uint64_t kLearnedRecord = std::uint64_t{1} << 23;

constexpr bool is_small(std::uint64_t first_word) noexcept { return (first_word & kSmallRecord) != 0; }

constexpr std::size_t small_entry(std::uint64_t word) noexcept { return word >> kSmallEntryShift & 0xff; }
constexpr std::uint64_t small_mask(std::uint64_t word) noexcept { return word >> kSmallMaskShift & 0xffff; }
constexpr std::uint64_t small_duration(std::uint64_t word) noexcept {
  return word >> kSmallTickBits & ((std::uint64_t{1} << kSmallTickBits) - 1);
}
constexpr std::uint64_t small_pause(std::uint64_t word) noexcept {
  return word & ((std::uint64_t{1} << kSmallTickBits) - 1);
}
/// The first word of a small record. The ticks have at most kSmallTickBits bits.
constexpr std::uint64_t small_word(std::size_t entry, std::uint64_t mask, std::uint64_t pause,
                                   std::uint64_t duration) noexcept {
  return kSmallRecord | entry << kSmallEntryShift | mask << kSmallMaskShift | duration << kSmallTickBits | pause;
}

/// The calls that small records may refer to.
struct LearnedCalls {
  static constexpr std::size_t kEntries = 256;
  static constexpr std::size_t kMostWords = 60;  ///< of a body: the record without its first three words and its site
  /// The header of the whole record and its site (0: none); a header of 0: the entry is empty.
  struct Key {
    std::uint64_t header = 0;
    std::uint64_t site = 0;
    bool operator==(const Key&) const = default;
  };
  Key keys[kEntries]{};
  std::uint64_t bodies[kEntries][kMostWords]{};
};

/// The first entry to try.
constexpr std::size_t learned_place(const LearnedCalls::Key& key) noexcept {
  constexpr std::uint64_t kOdd = 0x9fb21c651e98df25ULL;
  return (key.header ^ key.site) * kOdd >> 56;
}

/// The entry of a call; if it has none, the one that it gets.
constexpr std::size_t find_learned(const LearnedCalls::Key* keys, const LearnedCalls::Key& key) noexcept {
  constexpr std::size_t kMostTries = 8;
  const std::size_t first = learned_place(key);
  for (std::size_t i = 0; i < kMostTries; ++i) {
    const std::size_t entry = (first + i) % LearnedCalls::kEntries;
    if (keys[entry] == key || keys[entry].header == 0) return entry;
  }
  return first;
}

}  // namespace meridian
