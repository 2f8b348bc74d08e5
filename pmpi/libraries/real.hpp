// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The underlying MPI library as a table of functions, found at run time: the traced program chooses the library and may
// load it long after the tracer, so the tracer is not linked with it.

#include <mpi.h>

#include "mpi_has.h"
#include "trace/model/call_id.hpp"

#define MERIDIAN_IF(condition, ...) MERIDIAN_IF_(condition, __VA_ARGS__)
#define MERIDIAN_IF_(condition, ...) MERIDIAN_IF_##condition(__VA_ARGS__)
#define MERIDIAN_IF_0(...)
#define MERIDIAN_IF_1(...) __VA_ARGS__

namespace meridian {

/// One pointer for each call of the table that this MPI's header declares, filled by find_mpi(). A function that the
/// library lacks is replaced by one that fails.
struct Real {
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) \
  MERIDIAN_IF(MERIDIAN_HAS_##name, type(*name) params;)
#include "trace/model/mpi_calls.def"
};
/// The library's functions PMPI_X, for the tracer's own calls.
extern constinit Real g_real;
/// The functions to which the program's calls go on: the next MPI_X behind the tracer's where another tool has one, otherwise PMPI_X.
extern constinit Real g_next;

/// Fills g_real, g_next and g_mpi from the MPI library in this process. False if there is none: the calls then fail, and
/// MPI_Initialized returns false. May be called again, also by several threads.
bool find_mpi() noexcept;

}  // namespace meridian
