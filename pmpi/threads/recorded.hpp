// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recording of one call other than MPI's. Like traced.hpp, but a signal handler may interrupt at any point and record
// as well, so the ring is closed before the position in it is read, and errno always remains the application's.

#include <errno.h>

#include <atomic>

#include "pmpi/process/clock.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/small.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/stacks/stacks.hpp"

namespace meridian {

/// Attaches the thread, or opens its next block. False: this call is not recorded.
[[gnu::cold, gnu::noinline]] bool open_ring(const void* frame) noexcept;

/// Whether the calling thread's use of locks is the application's if its ring is not open: the thread has no ring, is
/// inside a call, or is not the application's.
[[gnu::cold, gnu::noinline]] bool is_counted() noexcept;

/// Also false if a call was left by longjmp, which begin_record() detects.
[[gnu::always_inline]] inline bool is_surely_inside_call() noexcept {
  return is_inside_call() && __builtin_frame_address(0) < static_cast<const void*>(t_state.frame);
}

/// True if the calling thread may count and record. Threads get rings when they have something to record; one without a
/// ring is in no call, and has counts only while what it does is the application's.
[[gnu::always_inline]] inline bool is_application() noexcept {
  const ThreadState& thread = t_state;
  return thread.limit != nullptr || (thread.block_limit == nullptr && t_own.counts != nullptr) || is_counted();
}

/// The cold side of leave_out(): first calls, and calls that are not the application's.
[[gnu::cold, gnu::noinline]] void leave_out_slowly(CallId id, const void* caller) noexcept;

/// Counts a call that is left out if it is the application's. MPI calls that are left out, too, are not recognised as
/// callers.
[[gnu::always_inline]] inline void leave_out(CallId id, const void* caller) noexcept {
  if (is_surely_inside_call()) return;
  std::uint64_t* const passed = t_state.passed;
  if (passed == nullptr || t_own.counts == nullptr || *g_is_same_process == 0 ||
      t_own.app_callers[reinterpret_cast<std::uintptr_t>(caller) / 4 % OwnThread::kCallers] != caller) [[unlikely]]
    return leave_out_slowly(id, caller);
  ++passed[static_cast<std::size_t>(id)];
}

/// Whether a call is not recorded; counts it if the user asked for that.
[[gnu::always_inline]] inline bool is_off(CallId id, const void* caller) noexcept {
  const std::uint8_t level = g_enabled[static_cast<std::size_t>(id)];
  if (level == kLeftOut) [[unlikely]]
    leave_out(id, caller);
  return level == kNotRecorded || level == kLeftOut;
}

/// The position of the next record, with the ring closed to others; null: this call is not recorded.
[[gnu::always_inline]] inline std::uint64_t* begin_record(ThreadState& thread, const void* frame) noexcept {
  if (*g_is_same_process == 0 || t_own.is_busy) [[unlikely]]
    return nullptr;
  if (thread.limit == nullptr) [[unlikely]] {
    if (!open_ring(frame)) return nullptr;
  }
  enter_call(thread, frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (thread.cursor >= thread.block_limit) [[unlikely]] {
    thread.limit = thread.block_limit;
    if (!open_ring(frame)) return nullptr;
    enter_call(thread, frame);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  return thread.cursor;
}

/// read_at_enter(), read_at_leave() and read_at_point() without changing errno: reading may take a system call.
template <auto read>
[[gnu::noinline]] inline void read_quietly(ThreadCounters& counters) noexcept {
  const int before = errno;
  read(counters);
  errno = before;
}

/// Runs `call`, made at `caller`, and records it: `before(body)` and `after(body, result)` fill in the body; after()
/// returns whether the call succeeded.
template <CallId id, Payload payload, std::uint64_t body_words, class Before, class Call, class After>
[[gnu::always_inline]] inline auto recorded(Before before, Call call, After after, const void* caller) noexcept(false) {
  ThreadState& thread = t_state;
  std::uint64_t* at = begin_record(thread, __builtin_frame_address(0));
  if (at == nullptr) return call();
  std::uint64_t from = reinterpret_cast<std::uintptr_t>(caller);
  if (thread.stacks != nullptr) [[unlikely]] {
    at = note_stack(thread, kMaxFixedWords, __builtin_frame_address(0), from);
    if (at == nullptr) return call();
    if (is_named_site(thread.site)) from = thread.site;
  }
  constexpr std::uint64_t kWords = words_of<RecordHead> + body_words;
  before(at + words_of<RecordHead>);
  at[kWords] = from;  // used or not; there is always room
  const std::uint64_t site = thread.site_header;
  if (thread.counters != nullptr) [[unlikely]]
    read_quietly<&read_at_enter>(*thread.counters);
  at[1] = read_ticks();
  store_release(at[0], header_word(id, payload, kWords) + site);
  const auto result = call();
  if (thread.cursor != at) [[unlikely]] {
    // Otherwise a handler on another stack took the call for an abandoned one and closed its record.
    if (!resume_call(thread, at)) return result;
  }
  at[2] = read_ticks_after_loads();
  if (thread.counters != nullptr) [[unlikely]]
    read_quietly<&read_at_leave>(*thread.counters);
  std::uint64_t words = kWords + words_in(site);
  std::uint64_t flags = after(at + words_of<RecordHead>, result) ? 0 : kFlagFailed;
  append_counters(thread, at, words, flags);
  if (flags != 0) [[unlikely]] {
    at[0] = header_word(id, payload, words, 0, flags | site_flag(site));
    leave_call(thread, at, words);
  } else {
    leave_plain_call(thread, at, header_word(id, payload, kWords) + site, body_words);
  }
  return result;
}

/// Records an event at this moment, without a duration.
template <CallId id, Payload payload, std::uint64_t body_words, class Fill>
[[gnu::always_inline]] inline void record_now(Fill fill) noexcept {
  ThreadState& thread = t_state;
  std::uint64_t* const at = begin_record(thread, __builtin_frame_address(0));
  if (at == nullptr) return;
  constexpr std::uint64_t kWords = words_of<RecordHead> + body_words;
  fill(at + words_of<RecordHead>);
  if (thread.counters != nullptr) [[unlikely]] {
    read_quietly<&read_at_point>(*thread.counters);
  }
  at[1] = read_ticks();
  at[2] = at[1];
  std::uint64_t words = kWords;
  std::uint64_t flags = 0;
  append_counters(thread, at, words, flags);
  store_release(at[0], header_word(id, payload, words, 0, flags));
  leave_call(thread, at, words);
}

}  // namespace meridian
