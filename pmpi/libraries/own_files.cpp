// SPDX-License-Identifier: Apache-2.0
// The tracer's own files: its calls go to the C library below, not to its wrappers of these (pmpi/files), which record what the
// program does. The linker makes them calls of __wrap_X (-Wl,--wrap=X, pmpi/CMakeLists.txt).

#undef _FORTIFY_SOURCE

#include <pthread.h>

#include "pmpi/libraries/libc_calls.hpp"

#define MERIDIAN_OWN(type, name, params, args) \
  extern "C" type __wrap_##name params;        \
  type __wrap_##name params {                  \
    const WithoutCancellation guard;           \
    return g_libc.name args;                   \
  }

namespace meridian {
namespace {

/// These calls are points at which a thread can be cancelled; the call of the program around them may be none.
class WithoutCancellation {
 public:
  WithoutCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~WithoutCancellation() { pthread_setcancelstate(before_, nullptr); }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace

MERIDIAN_OWN(int, open, (const char* path, int flags, mode_t mode), (path, flags, mode))
MERIDIAN_OWN(int, openat, (int folder, const char* path, int flags, mode_t mode), (folder, path, flags, mode))
MERIDIAN_OWN(int, close, (int file), (file))
MERIDIAN_OWN(ssize_t, read, (int file, void* data, size_t bytes), (file, data, bytes))
MERIDIAN_OWN(ssize_t, pread, (int file, void* data, size_t bytes, off_t offset), (file, data, bytes, offset))
MERIDIAN_OWN(ssize_t, write, (int file, const void* data, size_t bytes), (file, data, bytes))
MERIDIAN_OWN(ssize_t, pwrite, (int file, const void* data, size_t bytes, off_t offset), (file, data, bytes, offset))
MERIDIAN_OWN(int, ftruncate, (int file, off_t length), (file, length))

}  // namespace meridian
