// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "summary/measures.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Adds the places in MPI that cost most, of a summary that has sums over calls alone (is_profile()).
void find_time_in_mpi(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems);

/// "Rank 3 is outside MPI for 1.72 s, the mean is 880 ms: part of the time in MPI is waiting for it." Empty: the ranks compute for
/// equal times.
std::string describe_imbalance_of_sums(const Load& load);

}  // namespace meridian
