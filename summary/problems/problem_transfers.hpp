// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "summary/measures.hpp"
#include "summary/problems/problem_waits.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// The place of most of a function's time; empty: unknown.
std::string longest_place(const Summary& summary, const std::string& function);

/// Calls whose waits for other ranks are in no table: they are matched with no call of another rank.
bool has_unknown_waits(const Summary& summary, const FunctionSummary& function);

/// Time in MPI that may be waits for other ranks, of which none is in a table.
double unknown_seconds(const Summary& summary);

/// Adds problems of calls that take long besides waits for other ranks. `charged`: waits that they cause.
void find_transfers(const Summary& summary, const Load& load, const std::map<std::string, ChargedWaits>& charged,
                    std::vector<ProblemSummary>& problems);

}  // namespace meridian
