// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program's OpenMP library as a table of functions, like pmpi/libraries/libc_calls.hpp: each pointer is initialised to a
// function that looks up the real one.

namespace meridian {

using OmpBody = void (*)(void*);
using OmpCopy = void (*)(void*, void*);
struct OmpLock;  ///< the program's; only its address is used

struct LibOmp {
#define MERIDIAN_OMP(type, name, params, args, missing) type(*name) params;
#include "pmpi/openmp/openmp_calls.def"
};
extern constinit LibOmp g_omp;

}  // namespace meridian
