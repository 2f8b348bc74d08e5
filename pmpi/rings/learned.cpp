// SPDX-License-Identifier: Apache-2.0
// The cold side of small records.

#include <sys/mman.h>

#include "pmpi/rings/small.hpp"

namespace meridian {

constinit LearnedCalls g_nothing_learned;

void make_learned(ThreadState& thread) noexcept {
  void* const memory = mmap(nullptr, sizeof(LearnedCalls), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) thread.learned = static_cast<LearnedCalls*>(memory);  // all zero
}

void release_learned(ThreadState& thread) noexcept {
  if (thread.learned == &g_nothing_learned) return;
  munmap(thread.learned, sizeof(LearnedCalls));
  thread.learned = &g_nothing_learned;
}

void forget_learned(ThreadState& thread) noexcept {
  if (thread.learned == &g_nothing_learned) return;
  for (LearnedCalls::Key& key : thread.learned->keys) key = {};
}

void restore_record(const ThreadState& thread, std::uint64_t* at) noexcept {
  if (!is_small(at[0])) {
    at[0] &= ~kLearnedRecord;
    return;
  }
  const std::uint64_t call = thread.learned->keys[small_entry(at[0])].header & 0xffff;
  at[1] = thread.last_leave;  // its own enter may be overwritten
  at[0] = header_word(static_cast<CallId>(call), Payload::local, words_of<RecordHead>);
}

}  // namespace meridian
