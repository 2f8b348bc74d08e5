// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "summary/summary.hpp"

namespace meridian {

/// Which rank ended the program, or in which calls it hung, in one or two sentences; empty: it ended by MPI_Finalize.
std::string describe_run_end(const Summary& summary);

/// The rank that ended the program without MPI_Finalize; nullptr: unknown, or all ranks were ended from outside.
const RankSummary* cause_of_end(const Summary& summary);

/// "was killed by signal 11 (SIGSEGV) outside MPI"
std::string describe_end(const RankSummary& rank);

}  // namespace meridian
