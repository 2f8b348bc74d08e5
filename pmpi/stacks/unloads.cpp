// SPDX-License-Identifier: Apache-2.0
// Unloaded files: their addresses may get another meaning. A file that was loaded after MPI_Init is stored before it is gone.

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/stacks/modules.hpp"
#include "pmpi/stacks/stacks.hpp"

namespace meridian {

extern "C" [[gnu::visibility("default")]] int dlclose(void* handle) {
  if (*g_is_same_process != 0 && g_session.is_initialized.load(std::memory_order_acquire) &&
      g_session.state.load(std::memory_order_acquire) == SessionState::on) {
    const BusyThread busy;
    store_modules();
  }
  const int result = g_libc.dlclose(handle);
  g_unloads.fetch_add(1, std::memory_order_release);
  return result;
}

}  // namespace meridian
