// SPDX-License-Identifier: Apache-2.0
// Unloaded files: their addresses may get another meaning.

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/stacks/stacks.hpp"

namespace meridian {

extern "C" [[gnu::visibility("default")]] int dlclose(void* handle) {
  const int result = g_libc.dlclose(handle);
  g_unloads.fetch_add(1, std::memory_order_release);
  return result;
}

}  // namespace meridian
