// SPDX-License-Identifier: Apache-2.0
// The cold side of small records.

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pmpi/rings/small.hpp"

namespace meridian {

namespace {

/// Whether Valgrind runs the program. MPICH leaves the status of a completed send undefined: comparing its words does no harm,
/// but Valgrind would report it beside the errors of the program. There, records remain whole.
constinit bool g_has_valgrind = false;

[[gnu::constructor]] void find_valgrind() noexcept {
  const char* const preloaded = getenv("LD_PRELOAD");
  g_has_valgrind = preloaded != nullptr && strstr(preloaded, "vgpreload_") != nullptr;
}

}  // namespace

constinit LearnedCalls g_nothing_learned;

void make_learned(ThreadState& thread) noexcept {
  if (g_has_valgrind) return;
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
