// hot
// SPDX-License-Identifier: Apache-2.0

// One C function per row of the call table whose recording the row itself describes.

#include "pmpi/calls/record_coll.hpp"
#include "pmpi/calls/record_comm.hpp"
#include "pmpi/calls/record_object.hpp"
#include "pmpi/calls/traced.hpp"

// In a row, the null communicator stands for "no parent". Open MPI's is an address that is known at run time only.
#undef MPI_COMM_NULL
#define MPI_COMM_NULL g_mpi.comm_null

// Rows marked Special() are written by hand in special_calls.cpp and requests.cpp.
#define MERIDIAN_SECOND(first, second, ...) second
#define MERIDIAN_IS_SPECIAL(...) MERIDIAN_SECOND(__VA_ARGS__, 0, ~)
#define MERIDIAN_PROBE_Special() ~, 1
#define MERIDIAN_UNLESS(condition, ...) MERIDIAN_UNLESS_(condition, __VA_ARGS__)
#define MERIDIAN_UNLESS_(condition, ...) MERIDIAN_UNLESS_##condition(__VA_ARGS__)
#define MERIDIAN_UNLESS_0(...) __VA_ARGS__
#define MERIDIAN_UNLESS_1(...)

// The functions stand in the builders' namespace so that a row can name a builder; C linkage makes them MPI's own.
#define MERIDIAN_WRAPPER(type, name, params, args, recorded)                           \
  extern "C" [[gnu::visibility("default")]] type MPI_##name params {                   \
    return traced<CallId::name>(recorded, [&]() -> type { return g_real.name args; }); \
  }

namespace meridian::record {

#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded)                                \
  MERIDIAN_IF(MERIDIAN_HAS_##name, MERIDIAN_UNLESS(MERIDIAN_IS_SPECIAL(MERIDIAN_PROBE_##recorded), \
                                                   MERIDIAN_WRAPPER(type, name, params, args, recorded)))
#include "trace/model/mpi_calls.def"

}  // namespace meridian::record
