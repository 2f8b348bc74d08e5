// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Polls that find nothing: unsuccessful tests and probes. The first one leaves its record open in the ring, and later ones
// from the same places add to its counts, which the mapped file keeps if the process is killed. A poll that is close to the one
// before reads no clock; every kPollStride-th does.
//
//   if (begin_next_poll(thread, frame, place)) {    it is like the poll before it: the usual case of a program that polls
//     ... call; then, as it found nothing: end_next_poll(thread, at); otherwise as below, with PollTurn{thread.cursor}
//   }
//   PollTurn turn;
//   if (begin_poll(thread, turn, frame, place)) {   it is one of the phase in progress
//     ... call; then, as it found nothing: end_poll(thread, turn, place, payload);
//         otherwise: enter_ticks = end_polls(thread, turn, leave_ticks); and the call is recorded as usual
//   } else { ... recorded as usual; if it found nothing: begin_polls(thread, at, place, payload), instead of leave_call() }
//
// Every other record of the thread goes through make_room(), which ends the phase: see PollPhase.

#include "pmpi/process/clock.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/thread_state.hpp"

namespace meridian {

inline constexpr std::uint32_t kPollStride = 31;                         ///< polls for one reading of the clock
inline constexpr std::uint64_t kPollNearTicks = std::uint64_t{1} << 10;  ///< polls closer than this are close together
inline constexpr std::uint64_t kPollGapTicks = std::uint64_t{1} << 16;   ///< a longer gap ends the phase
inline constexpr std::uint64_t kPollWideGapTicks = std::uint64_t{1} << 21;  ///< the same where places alternate

/// Calls that may find nothing.
[[gnu::always_inline]] constexpr bool is_poll(CallId id) noexcept {
  return id == CallId::Test || id == CallId::Testany || id == CallId::Testall || id == CallId::Testsome ||
         id == CallId::Request_get_status || id == CallId::Iprobe || id == CallId::Improbe;
}

[[gnu::always_inline]] inline PollPhase::Place poll_place(CallId id, std::uint64_t from, std::uint64_t comm = 0,
                                                          std::int32_t peer = 0, std::int32_t tag = 0) noexcept {
  return {from | static_cast<std::uint64_t>(id) << 48, comm,
          static_cast<std::uint32_t>(peer) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 32};
}

/// A poll of the phase in progress.
struct PollTurn {
  std::uint64_t* at = nullptr;    ///< record of the phase; null: the poll is not one of a phase
  std::uint64_t enter_ticks = 0;  ///< 0: the clock is not read
};

/// Whether a poll that found nothing begins a phase.
[[gnu::always_inline]] inline bool may_begin_polls(const ThreadState& thread) noexcept {
  return thread.polls.is_wanted && !is_counted(thread);
}

/// The counts of a place in the open record.
[[gnu::always_inline]] inline PollPlace& poll_counts(std::uint64_t* at, std::uint32_t place) noexcept {
  return reinterpret_cast<PollPlace*>(at + words_of<RecordHead>)[place];
}

/// Begins a poll that is like the one before it in the phase in progress, and for which the clock is not read: the ring is then
/// closed. False: it is not.
[[gnu::always_inline]] inline bool begin_next_poll(ThreadState& thread, const void* frame,
                                                   const PollPhase::Place& place) noexcept {
  PollPhase& phase = thread.polls;
  if (phase.left == 0 || thread.limit == nullptr) return false;
  enter_call(thread, frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (phase.left == 0 || !(phase.place[phase.recent] == place)) [[unlikely]] {  // 0: a signal handler has ended it
    thread.limit = thread.block_limit;
    return false;
  }
  --phase.left;
  return true;
}

/// Ends it if it found nothing. `at`: the record of the phase.
[[gnu::always_inline]] inline void end_next_poll(ThreadState& thread, std::uint64_t* at) noexcept {
  ++poll_counts(at, thread.polls.recent).calls;
  std::atomic_signal_fence(std::memory_order_release);
  thread.limit = thread.block_limit;
}

/// The rare sides of the functions below.
[[gnu::noinline]] bool begin_timed_poll(ThreadState& thread, PollTurn& turn) noexcept;
[[gnu::noinline]] void end_timed_poll(ThreadState& thread, const PollTurn& turn,
                                      const PollPhase::Place& place) noexcept;

/// Begins a poll if a phase is in progress: the ring is then closed. False: the phase has ended, or there was none.
[[gnu::always_inline]] inline bool begin_poll(ThreadState& thread, PollTurn& turn, const void* frame,
                                              const PollPhase::Place& place) noexcept {
  PollPhase& phase = thread.polls;
  if (phase.places == 0 || thread.limit == nullptr) return false;
  enter_call(thread, frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (phase.places == 0) [[unlikely]] {  // a signal handler has ended it
    thread.limit = thread.block_limit;
    return false;
  }
  if (!(phase.place[phase.recent] == place)) {
    std::uint32_t i = 0;
    while (i < phase.places && !(phase.place[i] == place)) ++i;
    phase.recent = i;
  }
  if (phase.left != 0 && phase.recent != phase.places) [[likely]]
    --phase.left;
  else if (!begin_timed_poll(thread, turn))
    return false;
  turn.at = thread.cursor;
  return true;
}

/// Ends a poll of the phase that found nothing.
[[gnu::always_inline]] inline void end_poll(ThreadState& thread, const PollTurn& turn,
                                            const PollPhase::Place& place) noexcept {
  if (turn.enter_ticks != 0) return end_timed_poll(thread, turn, place);
  ++poll_counts(turn.at, thread.polls.recent).calls;
  std::atomic_signal_fence(std::memory_order_release);
  thread.limit = thread.block_limit;
}

/// Begins a phase with the poll whose record, complete but for its header, is at `at`. The ring is then open.
[[gnu::noinline]] void begin_polls(ThreadState& thread, std::uint64_t* at, const PollPhase::Place& place) noexcept;

/// Ends the phase after a poll of it that is recorded by itself, and opens the ring. Returns the enter ticks of that poll, which are
/// an estimate if the clock was not read.
[[gnu::noinline]] std::uint64_t end_polls(ThreadState& thread, const PollTurn& turn,
                                          std::uint64_t leave_ticks) noexcept;

/// Ends the phase in progress, outside of calls.
[[gnu::cold, gnu::noinline]] void close_polls(ThreadState& thread, std::uint64_t now) noexcept;

/// Counts a poll of the phase that was left by longjmp or an exception.
[[gnu::cold, gnu::noinline]] void abandon_poll(ThreadState& thread) noexcept;

}  // namespace meridian
