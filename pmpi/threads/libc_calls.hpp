// hot
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
#include "pmpi/threads/libc_calls.def"
};
extern constinit LibC g_libc;

/// Looks all of them up: a signal handler must not be the first to call one.
void find_libc() noexcept;

}  // namespace meridian
