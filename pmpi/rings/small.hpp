// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commit of usual calls: their record becomes a small one (trace/model/small_records.hpp) where it is. Until then it is whole,
// for those who look at the call in progress.

#include "pmpi/rings/thread_state.hpp"

namespace meridian {

/// leave_plain_call() for a call that differs from its entry, or has none.
[[gnu::noinline]] void leave_changed_call(ThreadState& thread, std::uint64_t* at, std::uint64_t header,
                                          std::uint64_t body) noexcept;

/// Replaces leave_call() for the record of a call without flags but kFlagSite, whose kind of record is the same in each
/// call. `header`: of the whole record; `body`: its words without the first three and the site.
[[gnu::always_inline]] inline void leave_plain_call(ThreadState& thread, std::uint64_t* at, std::uint64_t header,
                                                    std::uint64_t body) noexcept {
  const std::uint64_t* const words = at + words_of<RecordHead>;
  const std::uint64_t site = (header & std::uint64_t{kFlagSite} << 24) != 0 ? words[body] : 0;
  const std::size_t entry = learned_place({header, site});
  const LearnedCalls& learned = *thread.learned;
  const std::uint64_t pause = at[1] - thread.last_leave;
  const std::uint64_t duration = at[2] - at[1];
  if (learned.keys[entry] == LearnedCalls::Key{header, site} && (pause | duration) >> kSmallTickBits == 0 &&
      body <= LearnedCalls::kMostWords) [[likely]] {
    std::uint64_t difference = 0;
    for (std::uint64_t i = 0; i < body; ++i) {
      difference |= words[i] ^ learned.bodies[entry][i];
      asm("" : "+r"(difference));  // no vectors: they would wait for the words that were stored last
    }
    if (difference == 0) [[likely]] {
      thread.last_leave = at[2];
      store_release(at[0], small_word(entry, 0, pause, duration));
      return commit(thread, at, 1);
    }
  }
  leave_changed_call(thread, at, header, body);
}

/// Makes the table of a thread with a ring; without memory for it, or under Valgrind, its records remain whole.
void make_learned(ThreadState& thread) noexcept;
void release_learned(ThreadState& thread) noexcept;
/// Empties it.
void forget_learned(ThreadState& thread) noexcept;

/// Makes the record at `at` whole if leaving it was interrupted.
void restore_record(const ThreadState& thread, std::uint64_t* at) noexcept;

}  // namespace meridian
