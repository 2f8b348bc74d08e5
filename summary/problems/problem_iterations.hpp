// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "summary/measures.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Adds problems of iterations. Where another problem names their rank and costs as much, they only explain it.
void find_slow_iterations(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems);

}  // namespace meridian
