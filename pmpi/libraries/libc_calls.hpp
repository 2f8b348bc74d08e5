// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The underlying C library as a table of functions. Each pointer is initialised to a function that looks up the real
// one, so that a wrapper may be called before the tracer is set up, without a test.

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

namespace meridian {

struct LibC {
#define MERIDIAN_LIBC(type, name, params, args, missing) type(*name) params;
#include "pmpi/libraries/libc_calls.def"
  /// Takes a mutex that is free; EBUSY: it is not. The call is one that the next library may see (g_is_libc_below).
  int (*attempt_mutex)(pthread_mutex_t* mutex);
};
extern constinit LibC g_libc;

/// Whether locks are the C library's own, as far as find_libc() can determine. Otherwise an interposer such as
/// ThreadSanitizer has to see the program's own calls, not a try in their place, and may use its own data layout.
extern constinit bool g_is_libc_below;

/// Whether the caller would have to wait for the mutex, according to the C library's data.
[[gnu::cold]] bool is_taken(const pthread_mutex_t* mutex) noexcept;

/// Looks up all functions: a signal handler must not be the first to call one.
void find_libc() noexcept;

}  // namespace meridian
