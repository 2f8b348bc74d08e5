// hot
// SPDX-License-Identifier: Apache-2.0

// The procedures of the module mpi_f08, one per row of the call table. Both libraries call PMPI_* if there is no choice
// buffer, so that the C wrappers do not see them.

#include "pmpi/fortran/entry.hpp"

// A row's builder uses few of its parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace meridian::fortran {

/// The form of the choice buffers of this procedure: ..._f08ts_, ..._f08ts_large_ by descriptor (TS 29113).
constexpr Buffers buffers_of(const char* symbol) noexcept {
  for (; *symbol != '\0'; ++symbol)
    if (symbol[0] == 'f' && symbol[1] == '0' && symbol[2] == '8' && symbol[3] == 't') return Buffers::by_descriptor;
  return Buffers::by_address;
}

}  // namespace meridian::fortran

#define MERIDIAN_F08_ROW(type, name, params, recorded)                                                           \
  MERIDIAN_PROCEDURE(MERIDIAN_RETURNED(type), MERIDIAN_F08_##name, MERIDIAN_WORDS params,                        \
                     (fortran::row<CallId::name, type, fortran::buffers_of(MERIDIAN_TEXT(MERIDIAN_F08_##name))>( \
                         [] params { return recorded; }, next, words)))

namespace meridian::record {

#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) \
  MERIDIAN_IF(MERIDIAN_HAS_F08_##name, MERIDIAN_FORTRAN_ROW(MERIDIAN_F08_ROW, type, name, params, recorded))
#include "trace/model/mpi_calls.def"

}  // namespace meridian::record
