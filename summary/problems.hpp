// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// What a user may change to make the program faster, the most expensive first: docs/PROBLEMS.md has the list. Only what
/// costs at least a hundredth of the ranks' time. Uses the other tables of the summary.
std::vector<ProblemSummary> find_problems(const Summary& summary);

}  // namespace meridian
