// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counters of a record. Code that writes a record with an enter and a leave calls
//
//   count_enter(thread);                 last before the enter ticks are read
//   count_leave(thread);                 first after the leave ticks are read
//   append_counters(thread, at, words, flags);   when all words before them are final: after completions and site
//
// and requests kMaxCounterWords from make_room() in addition to the record's own words (kMaxFixedWords includes them).
// The header is stored with the words and flags that append_counters() returns. A record without a duration calls
// count_point() instead of the first two. Without counters each call is one test of a member beside the cursor.
//
// The tracer's own work before the enter ticks and after the leave ticks is outside the two readings: it is attributed
// to the program between its calls, as is its time.

#include "papi/thread_counters.hpp"
#include "pmpi/rings/thread_state.hpp"

namespace meridian {

inline constexpr std::uint64_t kMaxCounterWords = 2 * kMaxCounters;

[[gnu::always_inline]] inline void count_enter(const ThreadState& thread) noexcept {
  if (thread.counters != nullptr) [[unlikely]]
    read_at_enter(*thread.counters);
}

[[gnu::always_inline]] inline void count_leave(const ThreadState& thread) noexcept {
  if (thread.counters != nullptr) [[unlikely]]
    read_at_leave(*thread.counters);
}

/// Whether the record in progress has counters, unless a reading has failed (MERIDIAN_COUNTERS_EVERY).
[[gnu::always_inline]] inline bool is_counted(const ThreadState& thread) noexcept {
  return thread.counters != nullptr && thread.counters->is_read;
}

/// Stores both readings at `at + words` unless one has failed. Returns the number of words to add.
[[gnu::noinline]] inline std::uint64_t store_counters(ThreadState& thread, std::uint64_t* to) noexcept {
  const ThreadCounters& counters = *thread.counters;
  if (!counters.is_read) return 0;
  if (counters.has_failed) {
    thread.counters = nullptr;  // later records have no counters
    return 0;
  }
  for (std::uint32_t i = 0; i < counters.count; ++i) {
    to[i] = static_cast<std::uint64_t>(counters.at_enter[i]);
    to[counters.count + i] = static_cast<std::uint64_t>(counters.at_leave[i]);
  }
  return 2 * std::uint64_t{counters.count};
}

/// Appends the counters to the record at `at`, whose length so far is `words`.
[[gnu::always_inline]] inline void append_counters(ThreadState& thread, std::uint64_t* at, std::uint64_t& words,
                                                   std::uint64_t& flags) noexcept {
  if (thread.counters == nullptr) [[likely]]
    return;
  const std::uint64_t added = store_counters(thread, at + words);
  if (added != 0) flags |= kFlagCounters;
  words += added;
}

/// For a record without a duration: uses one reading for enter and leave.
[[gnu::always_inline]] inline void count_point(const ThreadState& thread) noexcept {
  if (thread.counters == nullptr) [[likely]]
    return;
  read_at_point(*thread.counters);
}

// Cold from here on.

/// Decides which counters of MERIDIAN_COUNTERS to read; if `report`, reports those that cannot be read. False:
/// MERIDIAN_STRICT is set and there is an error.
bool choose_counters(bool report) noexcept;

/// Whether any counters are read; known before the first event is recorded.
bool is_counting() noexcept;

/// What one reading of the counters takes, in ticks, as the first thread that counts has measured; 0: no thread counts.
std::uint64_t reading_ticks() noexcept;

/// Starts and stops the calling thread's counters.
void attach_counters(ThreadState& thread) noexcept;
void detach_counters(ThreadState& thread) noexcept;

/// Stores the names and units of the counters.
void store_counter_names() noexcept;

}  // namespace meridian
