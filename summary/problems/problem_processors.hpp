// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "summary/measures.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Adds the problem of ranks, or their threads, that are ready to run and have no processor. Returns its cost; 0: no problem.
double find_lack_of_processors(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems);

}  // namespace meridian
