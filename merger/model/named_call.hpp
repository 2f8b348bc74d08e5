// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meridian {

/// A call of the merged file: a row of /calls. Its number is its index in the list.
struct NamedCall {
  std::string name;   ///< "MPI_Send"; empty: a number that is not used
  std::string group;  ///< a name of call_groups.def; empty when unknown
};

}  // namespace meridian
