// hot
// SPDX-License-Identifier: Apache-2.0

// OpenMP libraries with the tool interface OMPT (libomp: clang, Intel), which ask for a tool when they start. Their callbacks
// make the records that team_calls.cpp and wait_calls.cpp make for GCC's library. Locks are those of omp_lock_calls.cpp.

#include <dlfcn.h>
#include <stdlib.h>

#include "pmpi/openmp/omp_holders.hpp"
#include "pmpi/openmp/team.hpp"

// From omp-tools.h, which compilers have in folders of their own (OpenMP API 5.0, section 4).
extern "C" {
union ompt_data_t {
  std::uint64_t value;
  void* ptr;
};
struct ompt_start_tool_result_t {
  int (*initialize)(void (*(*lookup)(const char*))(), int device, ompt_data_t* tool);
  void (*finalize)(ompt_data_t* tool);
  ompt_data_t tool;
};
}

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): the dynamic linker's

namespace meridian {

constinit bool g_has_ompt = false;

namespace {

constexpr int kBegin = 1;  // ompt_scope_begin
constexpr int kImplicitTask = 2;
constexpr int kTaskComplete = 1, kTaskSwitch = 7;
constexpr int kCritical = 5;
enum SyncRegion : int { kImplicit = 2, kTaskwait = 5, kTaskgroup = 6, kReduction = 7, kAtRegionEnd = 9 };
enum Callback : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskSchedule = 6,
  kImplicitTaskOf = 7,
  kMutexReleased = 17,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27
};

constexpr std::size_t kMostNested = 8;  // regions of a thread, and tasks in tasks; others are not recorded

struct OmptThread {
  OmpRegion regions[kMostNested];  // of the thread as master
  bool is_share_over[kMostNested];
  std::size_t depth;
  OmpWait left[kMostNested];  // for tasks
  std::size_t tasks;
  const void* frame[2];  // in place of one of the library's
};
constinit thread_local OmptThread t_ompt __attribute__((tls_model("initial-exec"))){};

/// A frame that lies above those of the library: its calls are inside the wait. The return address in it is constant. In
/// glibc the thread's own data are above its stack, for the first thread its arguments are.
const void* frame_above() noexcept {
  const void* const here = __builtin_frame_address(0);
  const void* const own = t_ompt.frame;
  return here < own ? own : here < __libc_stack_end ? __libc_stack_end : nullptr;
}

void begin_wait(CallId call, LockKind kind, const OmpRegion* region, const void* caller) noexcept {
  if (region == nullptr || t_omp.wait.at != nullptr || is_off(call, caller)) return;
  begin_omp_wait({nullptr, call, kind, region, caller, frame_above()});
}
void end_wait(bool is_left) noexcept {
  if (t_omp.wait.at != nullptr) end_omp_wait(is_left);
}

void on_parallel_begin(ompt_data_t*, const void*, ompt_data_t* parallel, unsigned, int, const void* caller) noexcept {
  OmptThread& own = t_ompt;
  parallel->ptr = nullptr;
  if (own.depth++ >= kMostNested || is_off(CallId::omp_parallel, caller) || !is_application() || is_in_library(caller))
    return;
  OmpRegion& region = own.regions[own.depth - 1];
  region = {nullptr, nullptr, nullptr, caller, t_omp.region, nullptr};
  own.is_share_over[own.depth - 1] = false;
  note_share(region, CallId::omp_parallel);
  parallel->ptr = &region;
}

void end_share(const OmpRegion* region) noexcept {
  if (region != nullptr) begin_wait(CallId::omp_implicit_barrier, LockKind::team, region, region->caller);
}

void on_parallel_end(ompt_data_t*, ompt_data_t*, int, const void*) noexcept {
  OmptThread& own = t_ompt;
  if (own.depth == 0 || --own.depth >= kMostNested) return;
  const OmpRegion& region = own.regions[own.depth];
  if (t_omp.region != &region) return;
  if (!own.is_share_over[own.depth]) end_share(&region);  // one thread has no barrier
  end_wait(false);
  t_omp.region = region.around;
}

void on_implicit_task(int end, ompt_data_t* parallel, ompt_data_t*, unsigned, unsigned index, int flags) noexcept {
  if (end != kBegin || (flags & kImplicitTask) == 0 || parallel == nullptr || parallel->ptr == nullptr) return;
  const auto* const region = static_cast<const OmpRegion*>(parallel->ptr);
  t_omp.region = region;
  if (index == 0) return;
  end_wait(false);
  if (!is_off(CallId::omp_share, region->caller)) note_share(*region, CallId::omp_share);
}

void on_sync_region(int kind, int end, ompt_data_t*, ompt_data_t*, const void* caller) noexcept {
  if (kind == kReduction) return;
  if (end != kBegin) return end_wait(false);
  const OmpRegion* const region = t_omp.region;
  if (region == nullptr) return;
  OmptThread& own = t_ompt;
  if (kind == kTaskwait) return begin_wait(CallId::omp_taskwait, LockKind::none, region, caller);
  if (kind == kTaskgroup) return begin_wait(CallId::omp_taskgroup, LockKind::none, region, caller);
  const bool is_end = kind == kAtRegionEnd || (kind == kImplicit && (caller == nullptr || caller == region->caller));
  if (!is_end) return begin_wait(CallId::omp_barrier, LockKind::team, region, caller);
  if (own.depth != 0 && own.depth <= kMostNested && region == &own.regions[own.depth - 1])
    own.is_share_over[own.depth - 1] = true;
  end_share(region);
}

void on_task_schedule(ompt_data_t*, int status, ompt_data_t*) noexcept {
  OmptThread& own = t_ompt;
  if (status == kTaskSwitch) {
    if (own.tasks++ >= kMostNested) return;
    own.left[own.tasks - 1] = t_omp.wait;
    end_wait(true);
    const void* const caller = t_omp.region != nullptr ? t_omp.region->caller : nullptr;
    if (!is_off(CallId::omp_task, caller))
      record_now<CallId::omp_task, Payload::lock, kLockWords>(
          LockBody{nullptr, nullptr, LockKind::none, false, 0, caller});
  } else if (status == kTaskComplete && own.tasks != 0 && --own.tasks < kMostNested) {
    const OmpWait& wait = own.left[own.tasks];
    if (wait.at != nullptr) begin_wait(wait.call, wait.kind, wait.region, wait.caller);
  }
}

void on_mutex_acquire(int kind, unsigned, unsigned, std::uint64_t lock, const void* caller) noexcept {
  const auto* const object = reinterpret_cast<const OmpRegion*>(lock);  // for its address
  if (kind == kCritical && noted_holder(object) != 0) begin_wait(CallId::omp_critical, LockKind::omp, object, caller);
}
void on_mutex_acquired(int kind, std::uint64_t lock, const void*) noexcept {
  if (kind != kCritical) return;
  const auto* const object = reinterpret_cast<const void*>(lock);
  if (t_omp.wait.at != nullptr)
    end_wait(false);
  else if (g_enabled[static_cast<std::size_t>(CallId::omp_critical)] != kNotRecorded && is_application())
    count_use(object, LockKind::omp);
  note_holder(object);
}
void on_mutex_released(int kind, std::uint64_t lock, const void*) noexcept {
  if (kind == kCritical) note_release(reinterpret_cast<const void*>(lock));
}

int start_tool(void (*(*lookup)(const char*))(), int, ompt_data_t*) noexcept {
  using Set = int (*)(int, void (*)());
  const auto set = reinterpret_cast<Set>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  const auto listen = [set](Callback what, auto* function) { set(what, reinterpret_cast<void (*)()>(function)); };
  listen(kParallelBegin, &on_parallel_begin);
  listen(kParallelEnd, &on_parallel_end);
  listen(kImplicitTaskOf, &on_implicit_task);
  listen(kSyncRegion, &on_sync_region);
  listen(kTaskSchedule, &on_task_schedule);
  listen(kMutexAcquire, &on_mutex_acquire);
  listen(kMutexAcquired, &on_mutex_acquired);
  listen(kMutexReleased, &on_mutex_released);
  g_has_ompt = true;
  return 1;
}

void end_tool(ompt_data_t*) noexcept { g_has_ompt = false; }

constinit ompt_start_tool_result_t g_ompt_tool{&start_tool, &end_tool, {0}};

}  // namespace

/// Called by the OpenMP library when it starts. Another tool comes first: there can be only one.
MERIDIAN_EXPORT ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* library) noexcept {
  using Start = ompt_start_tool_result_t* (*)(unsigned, const char*);
  const BusyThread busy;
  if (const char* const others = getenv("OMP_TOOL_LIBRARIES"); others != nullptr && *others != '\0') return nullptr;
  const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "ompt_start_tool"));  // the library's own looks further
  ompt_start_tool_result_t* const other = next != nullptr ? next(version, library) : nullptr;
  return other != nullptr ? other : &g_ompt_tool;
}

}  // namespace meridian
