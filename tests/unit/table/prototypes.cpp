// SPDX-License-Identifier: Apache-2.0
// Declares every row that this MPI has, beside mpi.h: a row with another prototype does not compile.

#include <mpi.h>

#include "mpi_has.h"

#define MERIDIAN_IF_0(...)
#define MERIDIAN_IF_1(...) __VA_ARGS__
#define MERIDIAN_IF_(condition, ...) MERIDIAN_IF_##condition(__VA_ARGS__)
#define MERIDIAN_IF(condition, ...) MERIDIAN_IF_(condition, __VA_ARGS__)

#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) \
  MERIDIAN_IF(MERIDIAN_HAS_##name, extern "C" type MPI_##name params;)
#include "trace/model/mpi_calls.def"
