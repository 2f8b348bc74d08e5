// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "summary/summary.hpp"

namespace meridian {

/// Which rank ended the program, or in which calls it hung, in one or two sentences; empty: it ended by MPI_Finalize.
std::string describe_run_end(const Summary& summary);

}  // namespace meridian
