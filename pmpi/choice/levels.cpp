// SPDX-License-Identifier: Apache-2.0
// g_enabled: the present recording level of each function.

#include "pmpi/choice/choice.hpp"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/user/definitions.hpp"
#include "trace/model/level_rules.hpp"
#include "trace/model/lock_calls.hpp"

namespace meridian {

// MPI's calls alone: what else a program does is passed through until its first MPI call.
alignas(kRingPageBytes) constinit std::uint8_t g_enabled[kEnabledBytes] = {
    1,
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) 1,
#include "trace/model/mpi_calls.def"
};

namespace {

// Locks: 0 contended, 1 all, 2 off, in the order of options.def.
enum class LockOption : std::int64_t { contended = 0, all = 1, off = 2 };

/// The value of g_enabled for a call whose group is on.
std::uint8_t recording_level(CallId call) noexcept {
  const CallGroup group = info(call).group;
  if (group == CallGroup::openmp && !g_session.options.is_on(OptionId::openmp)) return kNotRecorded;
  if (group != CallGroup::lock && !is_omp_lock(call)) return kRecorded;
  switch (static_cast<LockOption>(g_session.options.number(OptionId::locks))) {
    case LockOption::all:
      return kRecordedAll;
    case LockOption::off:
      return kNotRecorded;
    default:
      return is_release(call) ? kNotRecorded : kRecorded;  // releases: with MERIDIAN_LOCKS=all only
  }
}

/// The value for a call that is left out. MPI calls, and calls that would not be recorded anyway, are just off.
std::uint8_t left_out_level(CallId call) noexcept {
  const CallGroup group = info(call).group;
  const bool is_wrapped = group == CallGroup::lock || group == CallGroup::thread || group == CallGroup::sleep ||
                          group == CallGroup::files || group == CallGroup::openmp;
  return is_wrapped && recording_level(call) != kNotRecorded ? kLeftOut : kNotRecorded;
}

/// Whether levels and filter select this user event.
bool is_event_chosen(const Choosable& what) noexcept {
  return list_chooses(current_levels(), what) && !is_filtered(what.name);
}

}  // namespace

void apply_levels(bool recording) noexcept {
  g_session.is_recording.store(recording);
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    const std::uint8_t choice = choice_of(call, recording);
    const std::uint8_t level = choice == kCallOn    ? recording_level(call)
                               : choice == kCallOff ? left_out_level(call)
                                                    : choice;
    __atomic_store_n(&g_enabled[i], level, __ATOMIC_RELAXED);
  }
  apply_user_levels(recording && !is_outside_window(), &is_event_chosen);
}

void forget_levels_in_children() noexcept {
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(kRingPageBytes)) return;
  void* const copy = mmap(nullptr, kEnabledBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return;
  memcpy(copy, g_enabled, kEnabledBytes);
  // In one step: other threads read it meanwhile. Not by mremap(), which UCX intercepts without its last parameter: the
  // page would be moved to address 0, where the program's null pointers are to fault.
  if (madvise(copy, kEnabledBytes, MADV_WIPEONFORK) != 0 ||
      syscall(SYS_mremap, copy, kEnabledBytes, kEnabledBytes, MREMAP_MAYMOVE | MREMAP_FIXED, g_enabled) == -1)
    munmap(copy, kEnabledBytes);
}

void switch_recording(bool is_on) noexcept {
  apply_levels(is_on);
  store_recording(false);
}

}  // namespace meridian
