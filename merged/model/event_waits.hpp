// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace meridian {

/// Beside RecordFlag in the flags of an event: a receive or probe that takes messages of any source.
inline constexpr std::uint32_t kEventAnySource = 256;

/// Kinds of waits, defined in docs/WAITS.md. The numbers are those of the column `kind` of /waits.
enum class WaitKind : std::uint8_t {
  late_sender,
  late_receiver,
  barrier,
  all_to_all,
  late_root,
  early_root,
  prefix,
  init,
  finalize,
  wrong_order_same_source,
  wrong_order_other_sources,
  barrier_completion,     // in sums only: not for a call
  all_to_all_completion,  // likewise
  lock,                   // of threads, from here on
  condition,
  semaphore,
  join,
  thread_barrier,
  fence,  // of ranks again, from here on: in one-sided communication
  late_post,
  early_wait,
  late_complete,
  window_lock,
  neighbours,
  team,  // of threads: of an idle OpenMP thread, after the wait at the thread barrier
  file,  // of ranks: in collective calls on files
};
inline constexpr std::string_view kWaitKindNames[] = {"late sender",
                                                      "late receiver",
                                                      "wait at barrier",
                                                      "wait at N x N",
                                                      "late broadcast",
                                                      "early reduce",
                                                      "wait at prefix",
                                                      "wait at init",
                                                      "wait at finalize",
                                                      "wrong order, same source",
                                                      "wrong order, other sources",
                                                      "barrier completion",
                                                      "N x N completion",
                                                      "wait for lock",
                                                      "wait for signal",
                                                      "wait for semaphore",
                                                      "wait for join",
                                                      "wait at thread barrier",
                                                      "wait at fence",
                                                      "late post",
                                                      "early wait",
                                                      "late complete",
                                                      "window lock",
                                                      "wait at neighbours",
                                                      "wait for parallel region",
                                                      "wait at file"};

/// Waits of a call for a lock follow one another, one for each holder; the wait for a completion follows that for accesses, and the
/// wait for a parallel region the one at the end of the last region. All other waits begin with the call.
constexpr bool follows_last_wait(WaitKind kind) noexcept {
  return kind == WaitKind::lock || kind == WaitKind::early_wait || kind == WaitKind::late_complete ||
         kind == WaitKind::team;
}

/// Waits for other threads of the same rank.
constexpr bool is_of_threads(WaitKind kind) noexcept {
  return (kind >= WaitKind::lock && kind <= WaitKind::thread_barrier) || kind == WaitKind::team;
}

/// The time that a call waited, and the call that ended the wait.
struct EventWait {
  std::uint64_t row = 0;     ///< of the call that waited
  std::uint64_t causer = 0;  ///< row of the call that was waited for
  std::int64_t ns = 0;       ///< more than 0
  WaitKind kind{};
};

/// A call that may have waited for another one, and how; whether it did follows from their times.
struct EventAwaited {
  std::uint64_t row = 0;
  std::uint64_t causer = 0;  ///< row of the other one; `row`: unknown
  WaitKind kind{};
};

}  // namespace meridian
