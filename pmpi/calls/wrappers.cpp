// hot
// SPDX-License-Identifier: Apache-2.0

// One C function per row of the call table. Rows that say ByHand are in requests.cpp, spawn_calls.cpp and
// session/init_calls.cpp.

#include "pmpi/calls/record_coll.hpp"
#include "pmpi/calls/record_comm.hpp"
#include "pmpi/calls/record_object.hpp"
#include "pmpi/calls/record_receive.hpp"
#include "pmpi/calls/rows.hpp"
#include "pmpi/calls/traced.hpp"

// The functions stand in the builders' namespace so that a row can name a builder; C linkage makes them MPI's own.
#define MERIDIAN_C_plain(type, name, params, args, recorded)                           \
  extern "C" [[gnu::visibility("default")]] type MPI_##name params {                   \
    return traced<CallId::name>(recorded, [&]() -> type { return g_next.name args; }); \
  }
// The source, tag and size of what was received are in the status only.
#define MERIDIAN_C_with_status(type, name, params, args, recorded)                                     \
  extern "C" [[gnu::visibility("default")]] type MPI_##name params {                                   \
    MPI_Status own;                                                                                    \
    if (status == MPI_STATUS_IGNORE) status = &own;                                                    \
    return traced<CallId::name>(MERIDIAN_INNER(recorded), [=]() -> type { return g_next.name args; }); \
  }
#define MERIDIAN_C_by_hand(type, name, params, args, recorded)
#define MERIDIAN_C_c_only(type, name, params, args, recorded) \
  MERIDIAN_C_plain(type, name, params, args, MERIDIAN_INNER(recorded))
#define MERIDIAN_C_no_f08(type, name, params, args, recorded) \
  MERIDIAN_C_plain(type, name, params, args, MERIDIAN_INNER(recorded))

namespace meridian::record {

#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) \
  MERIDIAN_IF(MERIDIAN_HAS_##name,                                  \
              MERIDIAN_CAT(MERIDIAN_C_, MERIDIAN_FORM(recorded))(type, name, params, args, recorded))
#include "trace/model/mpi_calls.def"

}  // namespace meridian::record
