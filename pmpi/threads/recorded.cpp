// SPDX-License-Identifier: Apache-2.0
// The cold side of recording calls other than MPI's.

#include "pmpi/threads/recorded.hpp"

#include "pmpi/libraries/library_objects.hpp"
#include "pmpi/process/session_state.hpp"

namespace meridian {

bool open_ring(const void* frame) noexcept {
  const OwnThread& own = t_own;
  if (own.is_busy || own.role != ThreadRole::application) return false;
  if (g_session.state.load(std::memory_order_acquire) != SessionState::on) return false;
  return make_room(t_state, kMaxFixedWords, frame) != nullptr;
}

bool is_counted() noexcept {
  OwnThread& own = t_own;
  if (own.is_busy || own.role != ThreadRole::application) return false;
  if (is_surely_inside_call()) return false;
  if (own.thread != kNoThread) return true;
  if (*g_is_same_process == 0 || g_session.state.load(std::memory_order_acquire) != SessionState::on) return false;
  own_thread_id();
  watch_thread_end();
  return true;
}

void leave_out_slowly(CallId id, const void* caller) noexcept {
  if (*g_is_same_process == 0 || !is_counted() || is_in_library(caller)) return;
  t_own.app_callers[reinterpret_cast<std::uintptr_t>(caller) / 4 % OwnThread::kCallers] = caller;
  if (std::uint64_t* const passed = t_state.passed; passed != nullptr) {
    ++passed[static_cast<std::size_t>(id)];
  } else {
    pass_by_slowly(id);
  }
}

}  // namespace meridian
