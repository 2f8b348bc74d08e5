// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One traced call: the first half of the record is written in place before the call, the second half after it. An
// observer of a thread that hangs or has died therefore sees the record in progress.

#include <mpi.h>

#include <type_traits>

#include "pmpi/process/clock.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/polls.hpp"
#include "pmpi/rings/small.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/stacks/stacks.hpp"

namespace meridian {

/// A value of `hidden`: the call is lost, and end_lost_call() ends it.
inline constexpr std::uint64_t kLostCall = ~std::uint64_t{0};

/// The treatment of a call for which g_enabled is not kCallOn.
enum class Unusual : std::uint8_t {
  left_out,  ///< not recorded, only counted
  hidden,    ///< recorded with kFlagHidden: only its definitions are used
  asking,    ///< is_kept() decides after the call
  none,
};
[[gnu::cold, gnu::noinline]] Unusual begin_unusual_call(CallId id, bool defines) noexcept;

/// Room for a call's record if there is none below the limit.
struct Opened {
  std::uint64_t* at;     ///< null: no room
  std::uint64_t hidden;  ///< kLostCall, or 0
};
[[gnu::cold, gnu::noinline]] Opened open_record_slowly(ThreadState& thread, const void* frame, CallId id) noexcept;

/// Drops the record of a successful call unless is_kept() keeps it. `comm`: null if the call has none. False: dropped.
[[gnu::cold, gnu::noinline]] bool keep_or_drop(ThreadState& thread, std::uint64_t* at, CallId id,
                                               std::uint64_t completions, const MPI_Comm* comm) noexcept;

/// Ends the record of a failed call. `header`: that of a record of `words` words without a site.
[[gnu::cold, gnu::noinline]] void end_failed_call(ThreadState& thread, std::uint64_t* at, std::uint64_t header,
                                                  std::uint64_t words) noexcept;

/// Calls keep_or_drop() with a copy of the call's communicator: a pointer into `what` would keep all of `what` in
/// memory during every call.
template <class What>
[[gnu::always_inline]] inline bool keep_or_drop_with(const What& what, ThreadState& thread, std::uint64_t* at,
                                                     CallId id, std::uint64_t completions) noexcept {
  if constexpr (!What::kDefines && requires { what.comm; }) {
    const auto comm = what.comm;
    return keep_or_drop(thread, at, id, completions, &comm);
  } else if constexpr (!What::kDefines && requires { what.sent.comm; }) {
    const auto comm = what.sent.comm;
    return keep_or_drop(thread, at, id, completions, &comm);
  } else {
    return keep_or_drop(thread, at, id, completions, nullptr);
  }
}

/// Closes the ring and returns the position of the call's record; null: there is no room.
[[gnu::always_inline]] inline std::uint64_t* open_record(ThreadState& thread, const void* frame, CallId id,
                                                         std::uint64_t& hidden) noexcept {
  std::uint64_t* at = thread.cursor;
  if (at >= thread.limit) [[unlikely]] {
    const Opened opened = open_record_slowly(thread, frame, id);
    at = opened.at;
    if (at == nullptr) {
      hidden = opened.hidden != 0 ? opened.hidden : hidden;
      return nullptr;
    }
  }
  enter_call(thread, frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (was_interrupted(thread, at)) [[unlikely]]
    at = begin_again(thread, frame);
  if (thread.stacks != nullptr) [[unlikely]]
    return at != nullptr ? note_stack(thread, kMaxFixedWords, frame) : nullptr;
  return at;
}

/// Returns the position of the call's record; null: it is not recorded.
/// hidden  kFlagHidden, kLostCall or 0.  is_asking  see Unusual.
template <class What>
[[gnu::always_inline]] inline std::uint64_t* begin_call(ThreadState& thread, const void* frame, CallId id,
                                                        std::uint64_t& hidden, bool& is_asking) noexcept {
  if (g_enabled[static_cast<std::size_t>(id)] != kCallOn) [[unlikely]] {
    const Unusual unusual = begin_unusual_call(id, What::kDefines);
    if (unusual == Unusual::left_out) return nullptr;
    if (What::kDefines && unusual == Unusual::hidden) hidden = kFlagHidden;
    is_asking = !What::kDefines && unusual == Unusual::asking;
  }
  if constexpr (What::kDefines) {
    const KeptRecord kept{thread};
    return open_record(thread, frame, id, hidden);
  } else {
    return open_record(thread, frame, id, hidden);
  }
}

/// Fills the first half of the record at `at`. Returns the bits that its site adds to the header.
template <class What>
[[gnu::always_inline]] inline std::uint64_t fill_before(const What& what, ThreadState& thread, std::uint64_t* at,
                                                        CallId id, std::uint64_t hidden) noexcept {
  what.before(at + words_of<RecordHead>);
  count_enter(thread);
  at[1] = read_ticks();
  constexpr std::uint64_t kWordsBefore = What::kWords + What::kPending * words_of<Completion>;
  const std::uint64_t site = append_site(thread, at, kWordsBefore);
  store_release(at[0],
                header_word(id, What::kPayload, kWordsBefore, What::kPending, What::kDefines ? hidden : 0) + site);
  return site;
}

/// Fills the rest after the leave ticks, and then commits or drops the record.
template <class What>
[[gnu::always_inline]] inline void end_call(What& what, ThreadState& thread, std::uint64_t* at, CallId id,
                                            std::uint64_t site, std::uint64_t hidden, bool is_asking,
                                            int result) noexcept {
  if (result != MPI_SUCCESS) [[unlikely]] {
    const std::uint64_t completions = what.failed(at + words_of<RecordHead>, result);
    const std::uint64_t words = What::kWords + completions * words_of<Completion>;
    end_failed_call(thread, at,
                    header_word(id, What::kPayload, words, completions, kFlagFailed | (What::kDefines ? hidden : 0)),
                    words);
    return;
  }
  const std::uint64_t completions = what.after(at + words_of<RecordHead>);
  if (is_asking) [[unlikely]] {
    if (!keep_or_drop_with(what, thread, at, id, completions)) return;
  }
  std::uint64_t words = What::kWords + completions * words_of<Completion>;
  std::uint64_t flags = What::kDefines ? hidden : 0;
  if constexpr (What::kMayComplete) site = append_site(thread, at, words);
  if (!What::kDefines && !is_counted(thread)) [[likely]] {
    leave_plain_call(thread, at, header_word(id, What::kPayload, words, completions) + site,
                     words - words_of<RecordHead>);
  } else {
    words += words_in(site);
    append_counters(thread, at, words, flags);
    if (What::kMayComplete || flags != 0)
      at[0] = header_word(id, What::kPayload, words, completions, flags | site_flag(site));
    leave_call(thread, at, words);
  }
  what.done();
  look_if_asked(thread);
}

/// The data that traced() keeps for a call besides its record.
struct RareCall {
  CallId id;
  bool is_asking = false;
  std::uint64_t hidden = 0;
  std::uint64_t* at = nullptr;
};

/// Both halves of a rare call, out of line and once per kind of record: most MPI procedures are rare, and inlining them
/// all would take minutes of compiler time.
template <class What>
[[gnu::noinline]] void begin_rare_call(RareCall& rare, const What& what, const void* frame) noexcept {
  ThreadState& thread = t_state;
  rare.at = begin_call<What>(thread, frame, rare.id, rare.hidden, rare.is_asking);
  if (rare.at != nullptr) fill_before(what, thread, rare.at, rare.id, rare.hidden);
}
template <class What>
[[gnu::noinline]] void end_rare_call(const RareCall& rare, What& what, int result) noexcept {
  ThreadState& thread = t_state;
  end_call(what, thread, rare.at, rare.id, thread.site_header, rare.hidden, rare.is_asking, result);
}
/// Called right after the call. False: there is no record.
template <bool receives>
[[gnu::noinline]] bool leave_rare_call(const RareCall& rare, const void* frame) noexcept {
  ThreadState& thread = t_state;
  if (thread.cursor != rare.at) [[unlikely]] {
    if (rare.at != nullptr && resume_call(thread, rare.at)) return leave_rare_call<receives>(rare, frame);
    if (rare.hidden == kLostCall) end_lost_call(thread, frame);
    return false;
  }
  rare.at[2] = receives ? read_ticks_after_loads() : read_ticks();
  count_leave(thread);
  return true;
}

/// Calls without a body that programs make often.
constexpr bool is_frequent(CallId id) noexcept {
  const CallGroup group = info(id).group;
  return group == CallGroup::p2p || group == CallGroup::request || group == CallGroup::coll ||
         id == CallId::Comm_rank || id == CallId::Comm_size || id == CallId::Wtime;
}
template <class What>
constexpr bool is_rare(CallId id) noexcept {
  return What::kIsRare || (What::kPayload == Payload::local && !is_frequent(id));
}

/// The type of a builder after the conversion of its arguments: its own, unless it declares another.
template <class What>
struct Refreshed {
  using Type = What;
};
template <class What>
requires requires { typename What::Said; }
struct Refreshed<What> {
  using Type = typename What::Said;
};

template <CallId id, class What, class Call>
[[gnu::always_inline]] inline auto traced_rarely(What what, Call call) noexcept(false) {
  using Said = typename Refreshed<What>::Type;
  const void* const frame = __builtin_frame_address(0);
  RareCall rare{id};
  begin_rare_call<Said>(rare, what, frame);
  const auto result = call();
  if (!leave_rare_call<What::kReceives>(rare, frame)) return result;
  constexpr bool kMayFail = std::is_same_v<decltype(call()), int>;
  int error = MPI_SUCCESS;
  if constexpr (kMayFail) error = result;
  if constexpr (!std::is_same_v<What, Said>) {
    if (error == MPI_SUCCESS) what.refresh();
  }
  end_rare_call<Said>(rare, what, error);
  return result;
}

/// The place of a poll with the builder `what`.
template <CallId id, class What>
[[gnu::always_inline]] inline PollPhase::Place poll_place_of(const What& what, ThreadState& thread,
                                                             const void* frame) noexcept {
  const std::uint64_t from = poll_address(thread, frame);
  if constexpr (requires { what.peer; })
    return poll_place(id, from, handle_word(what.comm), rank_word(what.peer), tag_word(what.tag));
  else
    return poll_place(id, from);
}

/// Records a poll of a phase that found something, or failed.
template <CallId id, class What>
[[gnu::noinline]] void record_after_polls(What& what, ThreadState& thread, const PollTurn& turn, const void* frame,
                                          int result) noexcept {
  const std::uint64_t leave = what.has_received() ? read_ticks_after_loads() : read_ticks();
  const std::uint64_t enter = end_polls(thread, turn, leave);
  std::uint64_t hidden = 0;
  std::uint64_t* const at = open_record(thread, frame, id, hidden);
  if (at == nullptr) {
    if (hidden == kLostCall) end_lost_call(thread, frame);
    return;
  }
  what.before(at + words_of<RecordHead>);
  at[1] = enter;
  at[2] = leave;
  end_call(what, thread, at, id, thread.site_header, 0, false, result);
}

/// traced() for a frequent call in the wrapper with this frame.
template <CallId id, class What, class Call>
[[gnu::always_inline]] inline auto traced_in(const void* frame, What what, Call call) noexcept(false) {
  std::uint64_t hidden = 0;
  bool is_asking = false;
  ThreadState& thread = t_state;
  std::uint64_t* at = nullptr;
  std::uint64_t site = 0;
  PollTurn turn;
  PollPhase::Place place;
  if constexpr (is_poll(id)) {
    place = poll_place_of<id>(what, thread, frame);
    if (g_enabled[static_cast<std::size_t>(id)] == kCallOn && begin_poll(thread, turn, frame, place)) at = turn.at;
  }
  if (at == nullptr) {
    at = begin_call<What>(thread, frame, id, hidden, is_asking);
    if (at != nullptr) [[likely]]
      site = fill_before(what, thread, at, id, hidden);
  }
  // The only call: with several, the compiler would emit it out of line, with all its operands in memory.
  const auto result = call();
  if (thread.cursor != at) [[unlikely]] {
    if (at == nullptr) {
      if (hidden == kLostCall) end_lost_call(thread, frame);
      return result;
    }
    if (!resume_call(thread, at)) return result;
  }
  if constexpr (is_poll(id)) {
    const bool has_failed = result != MPI_SUCCESS;
    if (turn.at != nullptr) {
      if (has_failed || what.has_received()) [[unlikely]] {
        record_after_polls<id>(what, thread, turn, frame, result);
      } else {
        end_poll(thread, turn, place);
        look_if_asked(thread);
      }
      return result;
    }
    if (!has_failed && !is_asking && !what.has_received() && may_begin_polls(thread)) {
      at[2] = read_ticks();
      begin_polls(thread, at, place);
      look_if_asked(thread);
      return result;
    }
  }
  at[2] = What::kReceives && what.has_received() ? read_ticks_after_loads() : read_ticks();
  count_leave(thread);
  int error = MPI_SUCCESS;
  if constexpr (std::is_same_v<decltype(call()), int>) error = result;
  end_call(what, thread, at, id, site, hidden, is_asking, error);
  return result;
}

/// A poll that is not like the one before it. Out of line, so that the others save few registers.
template <CallId id, class What, class Call>
[[gnu::noinline]] int traced_poll(const void* frame, const What& what, const Call& call) noexcept(false) {
  return traced_in<id>(frame, what, call);
}

/// Runs `call` and records it with the builder `what` (record.hpp). Returns the result of the call unchanged.
template <CallId id, class What, class Call>
[[gnu::always_inline]] inline auto traced(What what, Call call) noexcept(false) {
  if constexpr (is_rare<What>(id)) {
    return traced_rarely<id>(what, call);
  } else if constexpr (is_poll(id)) {
    const void* const frame = __builtin_frame_address(0);
    ThreadState& thread = t_state;
    if (g_enabled[static_cast<std::size_t>(id)] == kCallOn &&
        begin_next_poll(thread, frame, poll_place_of<id>(what, thread, frame))) [[likely]] {
      std::uint64_t* const at = thread.cursor;
      const int result = call();
      if (thread.cursor != at) [[unlikely]] {
        if (!resume_call(thread, at)) return result;
      }
      if (result != MPI_SUCCESS || what.has_received()) [[unlikely]] {
        What found{what};  // so that `what` itself needs no memory
        record_after_polls<id>(found, thread, PollTurn{at}, frame, result);
      } else {
        end_next_poll(thread, at);
        look_if_asked(thread);
      }
      return result;
    }
    const What copy{what};
    const Call copied{call};
    const int result = traced_poll<id>(frame, copy, copied);
    asm volatile("");  // prevents a tail call: the frame is still needed
    return result;
  } else {
    return traced_in<id>(__builtin_frame_address(0), what, call);
  }
}

}  // namespace meridian
