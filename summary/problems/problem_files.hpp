// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "summary/measures.hpp"
#include "summary/problems/problem_waits.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Whether it is time in calls on files, of MPI or of the program itself. nullptr: no.
bool is_file_call(const DelaySummary* delay);
/// The longest of a rank's calls on files if waits of at least `least_s` are charged to all of them together; otherwise nullptr.
const DelaySummary* main_file_delay(const Summary& summary, std::int32_t rank, double least_s);
/// Seconds that other ranks wait for a rank's calls on files, directly or because they wait for a rank that waits.
double file_delays_of(const Summary& summary, std::int32_t rank);

/// Adds a problem if the program's own calls on files (POSIX, stdio) take long, with the waits of other ranks for them. `charged`: waits
/// by the function that causes them.
void find_file_problem(const Summary& summary, const Load& load, const std::map<std::string, ChargedWaits>& charged,
                       std::vector<ProblemSummary>& problems);

}  // namespace meridian
