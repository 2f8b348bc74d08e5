// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tracer's data about the calling thread besides its ring, and the counts of its lock uses.

#include <cstdint>

#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

enum class ThreadRole : std::uint8_t {
  application = 0,
  library = 1,  ///< created by MPI, or by a thread that MPI created: passes through
  ended = 2,    ///< its last destructors are running
};

struct OwnThread {
  LockCount* counts = nullptr;  ///< [kLockCounts] in the thread's card; null: no card, or counting is off
  ThreadCard* card = nullptr;
  std::uint32_t thread = kNoThread;
  ThreadRole role = ThreadRole::application;
  bool is_busy = false;        ///< in the tracer's cold code: calls are not the application's
  bool is_finalizing = false;  ///< in MPI_Finalize: busy, but MPI calls of callbacks are the application's
  static constexpr std::size_t kCallers = 8;
  const void* app_callers[kCallers] = {};  ///< callers known to be outside the MPI library, by their low bits
};
extern constinit thread_local OwnThread t_own __attribute__((tls_model("initial-exec")));

/// 0 in a child process created without fork()'s handlers (_Fork, clone), where nothing may be recorded.
extern constinit const volatile std::uint8_t* g_is_same_process;

// Values of g_enabled.
inline constexpr std::uint8_t kNotRecorded = 0;
inline constexpr std::uint8_t kRecorded = 1;     ///< locks: only if the thread had to wait
inline constexpr std::uint8_t kRecordedAll = 2;  ///< locks: every use
inline constexpr std::uint8_t kLeftOut = 3;      ///< filtered by levels, a filter or a switch; counted

/// While an object of this class exists, calls of its thread are not the application's.
class BusyThread {
 public:
  BusyThread() noexcept : before_{t_own.is_busy} {
    t_own.is_busy = true;
    t_own.counts = nullptr;
  }
  ~BusyThread() {
    OwnThread& own = t_own;
    own.is_busy = before_;
    if (!before_ && own.thread != kNoThread && own.card != nullptr) own.counts = own.card->counts;
  }
  BusyThread(const BusyThread&) = delete;
  BusyThread& operator=(const BusyThread&) = delete;

 private:
  bool before_;
};

/// Called once, when the session starts. `at_begin` is called by a thread that has got its card, `at_end` when a thread ends, before
/// end_thread().
void prepare_threads(void (*at_begin)() noexcept, void (*at_end)() noexcept) noexcept;

/// Calls what prepare_threads() was told for the begin of a thread.
void tell_thread_begin() noexcept;

/// Makes both run at the end of the calling thread. AS-safe once the session is on.
void watch_thread_end() noexcept;

/// The calling thread's ThreadId; assigns one, and a card, if it has none.
std::uint32_t own_thread_id() noexcept;

/// A ThreadId for the calls that `outer` makes inside its calls, with a card that has ended: no thread runs under it.
std::uint32_t nested_thread_id(std::uint32_t outer) noexcept;

/// Records the end of the calling thread on its card.
void end_thread() noexcept;

/// A card for a thread that is about to be created; null: none is left (counted). Its ThreadId is written to `thread`.
ThreadCard* take_card(std::uint32_t& thread) noexcept;

/// A card for a thread of the MPI library, which has no ThreadId; null: none is left.
ThreadCard* take_library_card() noexcept;

/// The ThreadId of a thread that was not joined yet; otherwise kNoThread.
std::uint32_t find_thread(std::uint64_t handle) noexcept;

[[gnu::cold, gnu::noinline]] void count_elsewhere(LockCount* counts, std::uint64_t key, const void* caller) noexcept;

/// First index to search for the count of an object. Kinds of one object have different indexes: a lock may be read and
/// written.
[[gnu::always_inline]] inline std::size_t home_of(std::uint64_t key) noexcept {
  return ((key >> 8 ^ key >> 14) + (key & ((1u << kLockKindBits) - 1))) % kLockObjects;
}

/// The return address of the wrapper into which this is inlined.
[[gnu::always_inline]] inline const void* caller() noexcept { return __builtin_return_address(0); }

/// Counts a use of `object` without a wait. Inlined into a wrapper.
[[gnu::always_inline]] inline void count_use(const volatile void* object, LockKind kind) noexcept {
  LockCount* const counts = t_own.counts;
  if (counts == nullptr) [[unlikely]]
    return;
  const std::uint64_t key =
      reinterpret_cast<std::uintptr_t>(object) << kLockKindBits | static_cast<std::uint64_t>(kind);
  LockCount& at = counts[home_of(key)];
  if (at.key == key) [[likely]]
    ++at.count;
  else
    count_elsewhere(counts, key, caller());
}

}  // namespace meridian
