// hot
// SPDX-License-Identifier: Apache-2.0

#include "pmpi/user/events.hpp"

#include "pmpi/process/clock.hpp"
#include "pmpi/rings/counting.hpp"

namespace meridian {
namespace {

/// Instantiated twice, so that events without counters do not test for them.
template <bool may_count>
[[gnu::always_inline]] inline void record(const meridian_gate* gate, unsigned what,
                                          const std::uint64_t* words) noexcept {
  // A gate is the first member of its definition, and definitions are never constant.
  auto& definition = *reinterpret_cast<UserEventDefinition*>(const_cast<meridian_gate*>(gate));
  const void* const frame = __builtin_frame_address(0);
  ThreadState& thread = t_state;
  std::uint64_t* const at = thread.cursor;
  if (at >= thread.limit || thread.stacks != nullptr || definition.texts != 0 ||
      !definition.is_stored.load(std::memory_order_relaxed) || *g_is_same_process == 0) [[unlikely]] {
    record_user_event_slowly(definition, what, words, frame);
    asm volatile("");  // prevents a tail call: the frame is still needed
    return;
  }
  enter_call(thread, frame);  // a signal handler that interrupts now passes through
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (was_interrupted(thread, at)) [[unlikely]] {  // a handler interrupted before that
    thread.limit = thread.block_limit;
    return record_user_event_slowly(definition, what, words, frame);
  }
  if constexpr (may_count) count_point(thread);
  at[1] = at[2] = read_ticks();
  at[words_of<RecordHead>] = definition.id | std::uint64_t{definition.words} << 32;
  for (std::uint64_t i = 0; i < definition.words; ++i) at[words_of<RecordHead> + words_of<UserUse> + i] = words[i];
  std::uint64_t length = words_of<RecordHead> + words_of<UserUse> + definition.words;
  std::uint64_t flags = what;
  if constexpr (may_count) append_counters(thread, at, length, flags);
  store_release(at[0], header_word(definition.call, Payload::user, length, 0, flags));
  leave_call(thread, at, length);
}

}  // namespace

void record_user_event(const meridian_gate* gate, unsigned what, const std::uint64_t* words) noexcept {
  record<false>(gate, what, words);
}

void record_counted_user_event(const meridian_gate* gate, unsigned what, const std::uint64_t* words) noexcept {
  record<true>(gate, what, words);
}

}  // namespace meridian
