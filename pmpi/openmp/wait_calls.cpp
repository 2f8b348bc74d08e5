// hot
// SPDX-License-Identifier: Apache-2.0

// Barriers, waits for tasks, and tasks. A task that a thread runs while it waits ends the record of the wait, which is
// continued after the task: the time in tasks is the program's.

#include <string.h>

#include "pmpi/openmp/team.hpp"

namespace meridian {

namespace {

constexpr LockKind kind_of_wait(CallId call) noexcept {
  return call == CallId::omp_barrier ? LockKind::team : LockKind::none;
}

/// A task's data as handed to the library, which copies it.
struct OmpTask {
  OmpBody body;
  OmpCopy copy;
  void* data;
  std::size_t size;
  std::size_t offset;  ///< of the program's data in the library's copy, behind an OmpTaskHead
  const void* caller;
};
struct OmpTaskHead {
  OmpBody body;
  std::size_t offset;
  const void* caller;
};

void copy_task(void* to, void* from) noexcept(false) {
  const auto& task = *static_cast<const OmpTask*>(from);
  *static_cast<OmpTaskHead*>(to) = {task.body, task.offset, task.caller};
  char* const data = static_cast<char*>(to) + task.offset;
  if (task.copy != nullptr)
    task.copy(data, task.data);
  else
    memcpy(data, task.data, task.size);
}

void run_task(void* given) noexcept(false) {
  const auto& head = *static_cast<const OmpTaskHead*>(given);
  OmpThread& own = t_omp;
  const OmpWait wait = own.wait;
  if (wait.at != nullptr) end_omp_wait(true);
  if (!is_off(CallId::omp_task, head.caller))
    record_now<CallId::omp_task, Payload::lock, kLockWords>(
        LockBody{reinterpret_cast<const void*>(head.body), nullptr, LockKind::none, false, 0, head.caller});
  const OmpBody body = head.body;
  body(static_cast<char*>(given) + head.offset);
  if (wait.at != nullptr && !is_off(wait.call, wait.caller)) begin_omp_wait(wait);
}

constexpr unsigned kIsDetachable = 1U << 13;  // GOMP_TASK_FLAG_DETACH: the library writes into the program's data

}  // namespace

#define MERIDIAN_OMP_WAIT(id, type, name, params, args, missing)                                          \
  MERIDIAN_EXPORT type name params noexcept(false) {                                                      \
    const OmpWaiting waiting{CallId::id, kind_of_wait(CallId::id), caller(), __builtin_frame_address(0)}; \
    return g_omp.name args;                                                                               \
  }
#include "pmpi/openmp/openmp_calls.def"

MERIDIAN_EXPORT void GOMP_task(OmpBody body, void* data, OmpCopy copy, long size, long alignment, bool is_deferrable,
                               unsigned flags, void** depend, int priority, void* event) noexcept(false) {
  if (g_has_ompt || (flags & kIsDetachable) != 0 || is_off(CallId::omp_task, caller()) || !is_application())
    return g_omp.GOMP_task(body, data, copy, size, alignment, is_deferrable, flags, depend, priority, event);
  const std::size_t aligned = alignment > 0 ? static_cast<std::size_t>(alignment) : 1;
  const std::size_t offset = (sizeof(OmpTaskHead) + aligned - 1) / aligned * aligned;
  const std::size_t bytes = size > 0 ? static_cast<std::size_t>(size) : 0;
  OmpTask task{body, copy, data, bytes, offset, caller()};
  const std::size_t least = alignof(OmpTaskHead);
  g_omp.GOMP_task(&run_task, &task, &copy_task, static_cast<long>(offset + bytes),
                  static_cast<long>(aligned > least ? aligned : least), is_deferrable, flags, depend, priority, event);
}

}  // namespace meridian
