// hot
#pragma once

// One traced call: the record is written in place, its first half before the call, its second half after it. So the
// record under way is also what an observer sees of a thread that hangs or has died.

#include <mpi.h>

#include <type_traits>

#include "pmpi/clock.hpp"
#include "pmpi/counting.hpp"
#include "pmpi/stacks.hpp"
#include "pmpi/thread_state.hpp"

namespace meridian {

/// Asks is_kept() about a call, with a copy of its communicator: a pointer into `what` would keep all of it in memory
/// during every call.
template <class What>
[[gnu::always_inline]] inline bool is_kept_with(const What& what, CallId id, const std::uint64_t* at,
                                                std::uint64_t completions) noexcept {
  if constexpr (!What::kDefines && requires { what.comm; }) {
    const auto comm = what.comm;
    return is_kept(id, at, completions, &comm);
  } else if constexpr (!What::kDefines && requires { what.sent.comm; }) {
    const auto comm = what.sent.comm;
    return is_kept(id, at, completions, &comm);
  } else {
    return is_kept(id, at, completions, nullptr);
  }
}

/// In the place of `hidden`: the call is lost, and end_lost_call() ends it.
inline constexpr std::uint64_t kLostCall = ~std::uint64_t{0};

/// Where the record of a call that is recorded goes, with the ring closed; null: there is no room.
template <CallId id>
[[gnu::always_inline]] inline std::uint64_t* open_record(ThreadState& thread, std::uint64_t& hidden) noexcept {
  std::uint64_t* at = thread.cursor;
  const void* const frame = __builtin_frame_address(0);
  if (at >= thread.limit) [[unlikely]] {
    at = make_room(thread, kMaxFixedWords, frame);
    if (at == nullptr) {
      if (begin_lost_call(thread, frame, is_matched(id))) hidden = kLostCall;
      return nullptr;
    }
  }
  enter_call(thread, frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (thread.cursor != at) [[unlikely]]
    at = begin_again(thread, frame);
  if (thread.stacks != nullptr) [[unlikely]]
    return at != nullptr ? note_stack(thread, kMaxFixedWords, frame) : nullptr;
  return at;
}

/// Where the record of a call goes; null: it is not recorded.
/// hidden     kFlagHidden when only what it defines counts; kLostCall.  is_asking  is_kept() decides when it has
/// returned.
template <CallId id, class What>
[[gnu::always_inline]] inline std::uint64_t* begin_call(ThreadState& thread, std::uint64_t& hidden,
                                                        bool& is_asking) noexcept {
  if (const std::uint8_t choice = g_enabled[static_cast<std::size_t>(id)]; choice != kCallOn) [[unlikely]] {
    if (choice == kCallOff || !is_wanted(id)) {
      pass_by(id);
      if (!What::kDefines || !is_defining()) return nullptr;
      hidden = kFlagHidden;
    } else {
      is_asking = !What::kDefines;
    }
  }
  if constexpr (What::kDefines) {
    const KeptRecord kept{thread};
    return open_record<id>(thread, hidden);
  } else {
    return open_record<id>(thread, hidden);
  }
}

/// Runs `call` and records it as `what` (record.hpp) says. Returns what the call returned, untouched.
template <CallId id, class What, class Call>
[[gnu::always_inline]] inline auto traced(What what, Call call) noexcept(false) {
  std::uint64_t hidden = 0;
  bool is_asking = false;
  ThreadState& thread = t_state;
  std::uint64_t* const at = begin_call<id, What>(thread, hidden, is_asking);
  std::uint64_t site = 0;
  if (at != nullptr) [[likely]] {
    what.before(at + words_of<RecordHead>);
    count_enter(thread);
    at[1] = read_ticks();
    constexpr std::uint64_t kWordsBefore = What::kWords + What::kPending * words_of<Completion>;
    site = append_site(thread, at, kWordsBefore);
    store_release(at[0],
                  header_word(id, What::kPayload, kWordsBefore, What::kPending, What::kDefines ? hidden : 0) + site);
  }
  // The only place where it is called: from several, the compiler calls it out of line, with all that it needs in
  // memory.
  const auto result = call();
  if (at == nullptr) [[unlikely]] {
    if (hidden == kLostCall) end_lost_call(thread, __builtin_frame_address(0));
    return result;
  }
  at[2] = What::kReceives && what.has_received() ? read_ticks_after_loads() : read_ticks();
  count_leave(thread);
  constexpr bool kMayFail = std::is_same_v<decltype(call()), int>;
  if constexpr (kMayFail) {
    if (result != MPI_SUCCESS) [[unlikely]] {
      const std::uint64_t completions = what.failed(at + words_of<RecordHead>, result);
      std::uint64_t words = What::kWords + completions * words_of<Completion>;
      std::uint64_t flags = kFlagFailed | (What::kDefines ? hidden : 0);
      site = append_site(thread, at, words);
      words += words_in(site);
      append_counters(thread, at, words, flags);
      at[0] = header_word(id, What::kPayload, words, completions, flags | site_flag(site));
      leave_call(thread, at, words);
      return result;
    }
  }
  const std::uint64_t completions = what.after(at + words_of<RecordHead>);
  if (is_asking) [[unlikely]] {
    if (!is_kept_with(what, id, at, completions)) {
      drop_call(thread, at, id);
      return result;
    }
  }
  std::uint64_t words = What::kWords + completions * words_of<Completion>;
  std::uint64_t flags = What::kDefines ? hidden : 0;
  if constexpr (What::kMayComplete) site = append_site(thread, at, words);
  words += words_in(site);
  append_counters(thread, at, words, flags);
  if (What::kMayComplete || flags != 0)
    at[0] = header_word(id, What::kPayload, words, completions, flags | site_flag(site));
  leave_call(thread, at, words);
  what.done();
  look_if_asked(thread);
  return result;
}

}  // namespace meridian
