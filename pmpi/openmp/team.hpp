// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calling thread's place in teams of OpenMP threads, and its records about them.
//
// A thread's share in a parallel region begins with an event, omp_parallel in the master before the library makes the team and
// omp_share in other threads, and ends where its omp_implicit_barrier begins. For the master this ends with the region; for other threads, which then
// wait inside the library, where their next share begins, so that it is in progress between regions. The event of a share is
// no call in progress: calls of the share are the program's own.

#include "pmpi/openmp/openmp_library.hpp"
#include "pmpi/threads/lock_call.hpp"

namespace meridian {

/// The OpenMP library reports to ompt_tool.cpp: calls of its functions are not recorded.
extern constinit bool g_has_ompt;

/// A parallel region in progress, on the stack of its master; handed to the threads of the team as their data.
struct OmpRegion {
  void* first = nullptr;  ///< a copy of the first word of `data`, which the library reads in GOMP_parallel_reductions
  OmpBody body = nullptr;
  void* data = nullptr;
  const void* caller = nullptr;       ///< of the function that began the region
  const OmpRegion* around = nullptr;  ///< in which the master began it
  const void* frame = nullptr;        ///< of the wrapper
};

/// A record of a wait that is in progress, and can be continued after a task.
struct OmpWait {
  std::uint64_t* at = nullptr;  ///< null: none is in progress
  CallId call{};
  LockKind kind{};
  const OmpRegion* region = nullptr;
  const void* caller = nullptr;
  const void* frame = nullptr;  ///< calls deeper in the stack are the library's; null: any call ends the wait
};

struct OmpThread {
  const OmpRegion* region = nullptr;   ///< whose share the thread computes; null: none
  const OmpRegion* forking = nullptr;  ///< the region that the thread begins as its master
  OmpWait wait;
};
inline constinit thread_local OmpThread t_omp __attribute__((tls_model("initial-exec")));

/// Ends a record that has its times and body. `header`: of the record without counters.
[[gnu::always_inline]] inline void leave_omp_call(ThreadState& thread, std::uint64_t* at, CallId call,
                                                  std::uint64_t header) noexcept {
  std::uint64_t words = words_in(header);
  std::uint64_t flags = 0;
  append_counters(thread, at, words, flags);
  if (flags == 0) [[likely]]
    return leave_plain_call(thread, at, header, kLockWords);
  store_release(at[0], header_word(call, Payload::lock, words, 0, flags | site_flag(header)));
  leave_call(thread, at, words);
}

/// Begins the record of a wait. False: it is not recorded.
[[gnu::noinline]] inline bool begin_omp_wait(const OmpWait& wait) noexcept {
  ThreadState& thread = t_state;
  std::uint64_t* const at = begin_record(thread, __builtin_frame_address(0));
  if (at == nullptr) return false;
  thread.site = reinterpret_cast<std::uintptr_t>(wait.caller);
  constexpr std::uint64_t kWords = words_of<RecordHead> + kLockWords;
  LockBody{wait.region, nullptr, wait.kind, true, 0, wait.caller}(at + words_of<RecordHead>);
  const std::uint64_t site = append_site(thread, at, kWords);
  if (thread.counters != nullptr) [[unlikely]]
    read_quietly<&read_at_enter>(*thread.counters);
  // Whether the wait goes on is seen by the frame.
  thread.frame = static_cast<const std::uint64_t*>(wait.frame);
  if (wait.frame != nullptr) thread.site = return_address(wait.frame);
  t_omp.wait = wait;
  t_omp.wait.at = at;
  at[1] = read_ticks();
  store_release(at[0], header_word(wait.call, Payload::lock, kWords) + site);
  return true;
}

/// Ends the wait in progress. is_left: for a task, after which it continues.
[[gnu::noinline]] inline void end_omp_wait(bool is_left) noexcept {
  OmpWait& wait = t_omp.wait;
  std::uint64_t* const at = wait.at;
  ThreadState& thread = t_state;
  wait.at = nullptr;
  if (*g_is_same_process == 0 || thread.cursor != at || !is_inside_call()) return;  // it was ended in another way
  at[2] = read_ticks_after_loads();
  if (thread.counters != nullptr) [[unlikely]]
    read_quietly<&read_at_leave>(*thread.counters);
  const std::uint64_t header = at[0];
  if (is_left) at[words_of<RecordHead> + 3] &= ~(std::uint64_t{1} << 8);  // LockUse::is_contended
  leave_omp_call(thread, at, wait.call, header);
}

/// Records that the thread begins its share in a region. call: omp_parallel in the master, which is about to make the team;
/// otherwise omp_share.
[[gnu::noinline]] inline void note_share(const OmpRegion& region, CallId call) noexcept {
  ThreadState& thread = t_state;
  std::uint64_t* const at = begin_record(thread, __builtin_frame_address(0));
  if (at == nullptr) return;
  thread.site = reinterpret_cast<std::uintptr_t>(region.caller);
  constexpr std::uint64_t kWords = words_of<RecordHead> + kLockWords;
  LockBody{&region, reinterpret_cast<const void*>(region.body), LockKind::team, false, 0, region.caller}(
      at + words_of<RecordHead>);
  const std::uint64_t site = append_site(thread, at, kWords);
  if (thread.counters != nullptr) [[unlikely]] {
    read_quietly<&read_at_point>(*thread.counters);
  }
  at[1] = read_ticks();
  at[2] = at[1];
  leave_omp_call(thread, at, call, header_word(call, Payload::lock, kWords) + site);
}

/// Records the calls of a function of the library in which the thread waits for its team.
class OmpWaiting {
 public:
  [[gnu::always_inline]] OmpWaiting(CallId call, LockKind kind, const void* caller, const void* frame) noexcept {
    const OmpRegion* const region = t_omp.region;
    if (g_has_ompt || region == nullptr || t_omp.wait.at != nullptr || is_off(call, caller) || is_in_library(caller))
      return;
    is_recorded_ = begin_omp_wait({nullptr, call, kind, region, caller, frame});
  }
  [[gnu::always_inline]] ~OmpWaiting() {
    if (is_recorded_ && t_omp.wait.at != nullptr) end_omp_wait(false);
  }
  OmpWaiting(const OmpWaiting&) = delete;
  OmpWaiting& operator=(const OmpWaiting&) = delete;

 private:
  bool is_recorded_ = false;
};

}  // namespace meridian
