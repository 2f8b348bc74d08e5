// Files that go away, and with them what their addresses meant.

#include "pmpi/stacks.hpp"
#include "pmpi/threads/libc_calls.hpp"

namespace meridian {

extern "C" [[gnu::visibility("default")]] int dlclose(void* handle) {
  const int result = g_libc.dlclose(handle);
  g_unloads.fetch_add(1, std::memory_order_release);
  return result;
}

}  // namespace meridian
