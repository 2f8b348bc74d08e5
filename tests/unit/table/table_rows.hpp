// SPDX-License-Identifier: Apache-2.0
#pragma once

// The call table as text, for tests that look at its rows rather than at what is made of them.

#include <string_view>

namespace meridian::table {

struct Row {
  std::string_view type;  ///< what the call returns
  std::string_view name;  ///< without "MPI_"
  std::string_view group;
  std::string_view params;    ///< "(const void* buf, int count)"
  std::string_view args;      ///< "(buf, count)"
  std::string_view recorded;  ///< "Send(count, datatype)"
};

inline constexpr Row kRows[] = {
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) {#type, #name, #group, #params, #args, #recorded},
#include "trace/model/mpi_calls.def"
};

}  // namespace meridian::table
