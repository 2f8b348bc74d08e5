// SPDX-License-Identifier: Apache-2.0
#pragma once

// Facts about calls of threads, locks and OpenMP: columns of other_calls.def.

#include <array>
#include <cstdint>

#include "trace/model/call_id.hpp"

namespace meridian {

/// The effect of a call on the object that threads synchronize with.
enum class LockUseKind : std::uint8_t { other, take, release, wake_one, wake_all, birth, open, close, death };

/// What a thread may wait for in a call; timed: at most for a time.
enum class ThreadAwaits : std::uint8_t { no, object, timed_object, thread, timed_thread };

struct LockFacts {
  LockUseKind use = LockUseKind::other;
  ThreadAwaits waits = ThreadAwaits::no;
};
inline constexpr std::array<LockFacts, kCallCount - kMpiCallCount - 1> kLockFacts{{
#define MERIDIAN_OTHER_CALL(id, printed, group, use, waits) {LockUseKind::use, ThreadAwaits::waits},
#include "trace/model/other_calls.def"
}};

/// Of an MPI call: neither uses a lock nor waits for threads.
constexpr LockFacts lock_facts(CallId call) noexcept {
  const auto index = static_cast<std::size_t>(call);
  return index > kMpiCallCount && index < kCallCount ? kLockFacts[index - kMpiCallCount - 1] : LockFacts{};
}

/// Releases a lock. Such calls never wait, and there are as many of them as acquisitions.
constexpr bool is_release(CallId call) noexcept { return lock_facts(call).use == LockUseKind::release; }

/// Waits for the end of another thread.
constexpr bool waits_for_thread(CallId call) noexcept {
  return lock_facts(call).waits == ThreadAwaits::thread || lock_facts(call).waits == ThreadAwaits::timed_thread;
}

/// A call of OpenMP to which MERIDIAN_LOCKS applies.
constexpr bool is_omp_lock(CallId call) noexcept {
  return info(call).group == CallGroup::openmp && call >= CallId::omp_critical;
}

}  // namespace meridian
