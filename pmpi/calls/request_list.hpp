// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A traced call on an array of requests: its record has one entry for each request that completed in it.

#include "pmpi/calls/record_receive.hpp"
#include "pmpi/calls/traced.hpp"
#include "pmpi/rings/polls.hpp"

namespace meridian {

/// Maximum number of entries in one record; further ones go into records marked kFlagMore.
inline constexpr int kMaxEntries = 1000;
/// Number of statuses kept on the stack if the caller ignores them.
inline constexpr int kStackStatuses = 32;

enum class Completes : unsigned char { all, one, some, all_started };

struct RequestList {
  int count;
  const MPI_Request* requests;
  MPI_Status* statuses;  ///< of the caller, possibly MPI_STATUS(ES)_IGNORE
  Completes completes;
  const int* flag = nullptr;      ///< null: the call always completes a request
  const int* outcount = nullptr;  ///< Waitsome, Testsome
  const int* indices = nullptr;   ///< of the completed requests; Waitany, Testany: one index
  int first_index = 0;            ///< the index of the first request in `indices`: 1 in Fortran
};

/// True if a failed call did not complete the request of this status.
[[gnu::cold, gnu::noinline]] bool is_pending(int call_result, const MPI_Status& status) noexcept;

/// True if a call failed as a whole: it examined none of its requests.
[[gnu::cold, gnu::noinline]] bool is_refused(int call_result) noexcept;

/// Stores entries beyond the first kMaxEntries as further records of this thread.
[[gnu::cold, gnu::noinline]] void store_more(CallId id, const RequestList& list, const std::uint64_t* saved,
                                             const MPI_Status* statuses, int first, int completed, int result) noexcept;

/// The index in the list of its k-th completed request.
[[gnu::always_inline]] inline int completed_index(const RequestList& list, int k) noexcept {
  return list.indices != nullptr ? list.indices[k] - list.first_index : k;
}

/// Number of entries that the call has completed; null requests in `all` are counted here and skipped later.
[[gnu::always_inline]] inline int completed_count(const RequestList& list, int result) noexcept {
  const bool failed = result != MPI_SUCCESS;
  if (list.flag != nullptr && *list.flag == 0) return 0;
  switch (list.completes) {
    case Completes::all:
      return list.count;
    case Completes::all_started:
      return failed ? 0 : list.count;
    case Completes::one: {                                    // MPICH's Fortran also adds 1 to MPI_UNDEFINED
      if (failed && !record::is_truncated(result)) return 0;  // then the index is undefined
      const int index = completed_index(list, 0);
      return index < 0 || index >= list.count ? 0 : 1;
    }
    case Completes::some:  // an outcount that the call did not set is undefined
      return *list.outcount < 0 || *list.outcount > list.count || (failed && is_refused(result)) ? 0 : *list.outcount;
  }
  return 0;
}

/// Fills `entry` for the k-th completed request; false if there is nothing to record.
[[gnu::always_inline]] inline bool fill_entry(Completion& entry, const RequestList& list, const std::uint64_t* saved,
                                              const MPI_Status* statuses, int k, int result,
                                              std::uint64_t null_word) noexcept {
  const std::uint64_t handle = saved[completed_index(list, k)];
  if (handle == null_word) return false;
  if (list.completes == Completes::all_started) {
    entry = {handle, 0, 0, 0};
    return true;
  }
  if (result != MPI_SUCCESS && list.completes != Completes::one && is_pending(result, statuses[k])) return false;
  record::complete(entry, handle, statuses[k]);
  return true;
}

/// Whether a successful call that does not wait has completed nothing.
[[gnu::always_inline]] inline bool found_nothing(const RequestList& list) noexcept {
  return list.flag != nullptr ? *list.flag == 0 : list.outcount != nullptr && *list.outcount == 0;
}

/// Fills the record at `at` after the leave ticks, and commits or drops it. `saved`: the handles before the call.
template <CallId id>
[[gnu::always_inline]] inline void end_list(const RequestList& list, ThreadState& thread, std::uint64_t* at,
                                            const std::uint64_t* saved, const MPI_Status* seen, int result,
                                            bool is_asking) noexcept {
  std::uint64_t* const body = at + words_of<RecordHead>;
  const int entries = list.count < kMaxEntries ? list.count : kMaxEntries;
  const int completed = completed_count(list, result);
  const std::uint64_t null_word = handle_word(g_mpi.request_null);
  std::uint64_t filled = 0;
  int k = 0;
  for (; k < completed && filled < static_cast<std::uint64_t>(entries); ++k)
    filled += fill_entry(record::body<Completion>(body + filled * words_of<Completion>), list, saved, seen, k, result,
                         null_word);
  if (is_asking && result == MPI_SUCCESS) [[unlikely]] {
    if (!is_kept(id, at, filled, nullptr)) {
      drop_call(thread, at, id);
      leave_nested_call(thread);
      return;
    }
  }
  std::uint64_t words = words_of<RecordHead> + filled * words_of<Completion>;
  std::uint64_t flags = (result == MPI_SUCCESS ? 0 : std::uint64_t{kFlagFailed}) | site_flag(thread.site_header);
  words += words_in(append_site(thread, at, words));
  append_counters(thread, at, words, flags);
  const std::uint64_t header = header_word(id, Payload::requests, words, filled, flags);
  if (flags == site_flag(thread.site_header)) [[likely]] {
    leave_plain_call(thread, at, header, filled * words_of<Completion>);
  } else {
    at[0] = header;
    leave_call(thread, at, words);
  }
  if (k < completed) [[unlikely]]
    store_more(id, list, saved, seen, k, completed, result);
  look_if_asked(thread);
}

/// Most words of the record of a call on `entries` requests: an entry for each of them and the site, then the handles.
[[gnu::always_inline]] constexpr std::uint64_t list_room(int entries) noexcept {
  return words_of<RecordHead> + static_cast<std::uint64_t>(entries) * (words_of<Completion> + 1) + 1 + kMaxCounterWords;
}

/// Records a poll of a phase that found something, or failed.
template <CallId id>
[[gnu::noinline]] void record_list_after_polls(const RequestList& list, ThreadState& thread, const PollTurn& turn,
                                               const std::uint64_t* saved, const MPI_Status* seen,
                                               int result) noexcept {
  const void* const frame = thread.frame;
  const std::uint64_t leave = read_ticks_after_loads();
  const std::uint64_t enter = end_polls(thread, turn, leave);
  const int entries = list.count < kMaxEntries ? list.count : kMaxEntries;
  std::uint64_t* at = make_room(thread, list_room(entries), frame);
  if (at == nullptr) {
    begin_lost_call(thread, frame, true);
    end_lost_call(thread, frame);
    return;
  }
  enter_call(thread, frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (was_interrupted(thread, at)) [[unlikely]]
    at = begin_again(thread, frame, list_room(entries));
  if (at == nullptr) return;
  at[1] = enter;
  at[2] = leave;
  end_list<id>(list, thread, at, saved, seen, result, false);
}

/// Runs `call` if it is a poll of a phase in progress. False: it is not, and has not run.
template <CallId id, class Call, class WordAt>
[[gnu::always_inline]] inline bool polled_list(const RequestList& list, ThreadState& thread, const void* frame,
                                               Call call, WordAt word_at, int& result) noexcept(false) {
  const PollPhase::Place place = poll_place(id, poll_address(thread, frame));
  PollTurn turn;
  MPI_Status own[kStackStatuses];
  std::uint64_t words[kStackStatuses];
  std::uint64_t* saved = words;
  MPI_Status* seen = list.statuses == MPI_STATUSES_IGNORE ? own : list.statuses;
  if (list.count > kStackStatuses) [[unlikely]] {
    const auto count = static_cast<std::uint64_t>(list.count);
    saved = static_cast<std::uint64_t*>(thread_scratch(thread, count * (sizeof(MPI_Status) + sizeof(std::uint64_t))));
    if (saved == nullptr) return false;
    if (seen == own) seen = reinterpret_cast<MPI_Status*>(saved + count);
  }
  if (!begin_poll(thread, turn, frame, place)) return false;
  for (int i = 0; i < list.count; ++i) saved[i] = word_at(i);
  result = call(seen);
  if (thread.cursor != turn.at) [[unlikely]] {
    if (!resume_call(thread, turn.at)) return true;
  }
  if (result != MPI_SUCCESS || !found_nothing(list)) [[unlikely]] {
    record_list_after_polls<id>(list, thread, turn, saved, seen, result);
  } else {
    end_poll(thread, turn, place);
    look_if_asked(thread);
  }
  return true;
}

/// traced_list() in the wrapper with this frame.
template <CallId id, class Call, class WordAt>
[[gnu::always_inline]] inline int traced_list_in(const void* frame, RequestList list, Call call,
                                                 WordAt word_at) noexcept(false) {
  MPI_Status* seen = list.statuses;
  bool is_asking = false;
  if (const std::uint8_t choice = g_enabled[static_cast<std::size_t>(id)]; choice != kCallOn) [[unlikely]] {
    if (choice == kCallOff || !is_wanted(id)) {
      pass_by(id);
      return call(seen);
    }
    is_asking = true;
  }
  if (list.count < 0 || list.requests == nullptr) [[unlikely]]
    list.count = 0;
  ThreadState& thread = t_state;
  const int entries = list.count < kMaxEntries ? list.count : kMaxEntries;
  const std::uint64_t room = list_room(entries);
  if constexpr (is_poll(id)) {
    int result = MPI_SUCCESS;
    if (!is_asking && thread.polls.places != 0 && polled_list<id>(list, thread, frame, call, word_at, result))
      return result;
  }
  std::uint64_t* at = thread.cursor;
  if (at >= thread.limit || room > kMaxFixedWords) [[unlikely]] {
    at = make_room(thread, room, frame);
    if (at == nullptr) at = make_nested_room(thread, room, frame, true);
    if (at == nullptr) {
      begin_lost_call(thread, frame, true);
      const int lost = call(seen);
      end_lost_call(thread, frame);
      return lost;
    }
  }
  MPI_Status own[kStackStatuses];
  const bool ignores = seen == MPI_STATUSES_IGNORE && list.completes != Completes::all_started;
  const bool needs_array = ignores && list.completes != Completes::one && list.count > kStackStatuses;
  std::uint64_t* saved = nullptr;
  if (list.count > kMaxEntries || needs_array) [[unlikely]] {
    const auto count = static_cast<std::uint64_t>(list.count);
    void* const scratch = thread_scratch(thread, count * (sizeof(MPI_Status) + sizeof(std::uint64_t)));
    if (scratch == nullptr) {  // the loss is counted there
      leave_nested_call(thread);
      return call(seen);
    }
    if (list.count > kMaxEntries) saved = static_cast<std::uint64_t*>(scratch);
    if (needs_array) seen = reinterpret_cast<MPI_Status*>(static_cast<std::uint64_t*>(scratch) + count);
  }
  if (ignores && !needs_array) seen = own;

  enter_call(thread, frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (was_interrupted(thread, at)) [[unlikely]] {
    at = begin_again(thread, frame, room);
    if (at == nullptr) return call(seen);
  }
  if (thread.stacks != nullptr) [[unlikely]] {
    at = note_stack(thread, room, frame);
    if (at == nullptr) return call(seen);
  }
  std::uint64_t* const body = at + words_of<RecordHead>;
  if (saved == nullptr) saved = body + static_cast<std::uint64_t>(entries) * words_of<Completion> + 1;
  for (int i = 0; i < list.count; ++i) {
    const std::uint64_t handle = word_at(i);
    saved[i] = handle;
    if (i < entries)
      record::body<Completion>(body + static_cast<std::uint64_t>(i) * words_of<Completion>).request = handle;
  }
  count_enter(thread);
  at[1] = read_ticks();
  const auto pending = static_cast<std::uint64_t>(entries);
  const std::uint64_t words_before = words_of<RecordHead> + pending * words_of<Completion>;
  const std::uint64_t site = append_site(thread, at, words_before);
  store_release(at[0], header_word(id, Payload::requests, words_before, pending) + site);
  const int result = call(seen);
  if (thread.cursor != at) [[unlikely]] {
    if (!resume_call(thread, at)) return result;
  }
  at[2] = list.flag == nullptr || *list.flag != 0 ? read_ticks_after_loads() : read_ticks();
  count_leave(thread);
  if constexpr (is_poll(id)) {
    if (result == MPI_SUCCESS && !is_asking && found_nothing(list) && may_begin_polls(thread)) {
      begin_polls(thread, at, poll_place(id, is_script_site(thread.site) ? thread.site : return_address(frame)));
      look_if_asked(thread);
      return result;
    }
  }
  end_list<id>(list, thread, at, saved, seen, result, is_asking);
  return result;
}

/// A poll that is not like the one before it. Out of line, so that the others save few registers.
template <CallId id, class Call, class WordAt>
[[gnu::noinline]] int traced_list_poll(const void* frame, const RequestList& list, const Call& call,
                                       const WordAt& word_at) noexcept(false) {
  return traced_list_in<id>(frame, list, call, word_at);
}

/// `word_at(i)`: the handle of request i in the form of the record.
template <CallId id, class Call, class WordAt>
[[gnu::always_inline]] inline int traced_list(RequestList list, Call call, WordAt word_at) noexcept(false) {
  const void* const frame = __builtin_frame_address(0);
  if constexpr (is_poll(id)) {
    ThreadState& thread = t_state;
    if (g_enabled[static_cast<std::size_t>(id)] == kCallOn && list.requests != nullptr &&
        static_cast<unsigned>(list.count) <= kStackStatuses &&
        begin_next_poll(thread, frame, poll_place(id, poll_address(thread, frame)))) [[likely]] {
      MPI_Status own[kStackStatuses];
      std::uint64_t saved[kStackStatuses];
      MPI_Status* const seen = list.statuses == MPI_STATUSES_IGNORE ? own : list.statuses;
      for (int i = 0; i < list.count; ++i) saved[i] = word_at(i);
      std::uint64_t* const at = thread.cursor;
      const int result = call(seen);
      if (thread.cursor != at) [[unlikely]] {
        if (!resume_call(thread, at)) return result;
      }
      if (result != MPI_SUCCESS || !found_nothing(list)) [[unlikely]] {
        const RequestList found{list};  // so that `list` itself needs no memory
        record_list_after_polls<id>(found, thread, PollTurn{at}, saved, seen, result);
      } else {
        end_next_poll(thread, at);
        look_if_asked(thread);
      }
      return result;
    }
    const RequestList copy{list};
    const Call copied{call};
    const int result = traced_list_poll<id>(frame, copy, copied, word_at);
    asm volatile("");  // prevents a tail call: the frame is still needed
    return result;
  } else {
    return traced_list_in<id>(frame, list, call, word_at);
  }
}

template <CallId id, class Call>
[[gnu::always_inline]] inline int traced_list(RequestList list, Call call) noexcept(false) {
  return traced_list<id>(list, call, [requests = list.requests](int i) { return handle_word(requests[i]); });
}

}  // namespace meridian
