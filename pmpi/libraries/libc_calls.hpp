// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C library below us, as a table of functions. Each pointer begins as a function that looks up the real one, so
// that a wrapper may be called before anything of ours was set up, and needs no test.

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

namespace meridian {

struct LibC {
#define MERIDIAN_LIBC(type, name, params, args, missing) type(*name) params;
#include "pmpi/libraries/libc_calls.def"
  /// Takes a mutex that is free; EBUSY: it is not. As the next one below us has to see it (g_is_libc_below).
  int (*attempt_mutex)(pthread_mutex_t* mutex);
};
extern constinit LibC g_libc;

/// Whether locks are the C library's own, as far as find_libc() has found out. Else somebody stands in between, such as
/// ThreadSanitizer, who has to see the calls that the program makes, no tries in their place, and may have his own
/// layout of things.
extern constinit bool g_is_libc_below;

/// Whether the caller would have to wait for the mutex, as the C library notes it.
[[gnu::cold]] bool is_taken(const pthread_mutex_t* mutex) noexcept;

/// Looks all of them up: a signal handler must not be the first to call one.
void find_libc() noexcept;

}  // namespace meridian
