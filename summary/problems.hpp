// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// The problems that are no waits of ranks; those are named like their kinds of wait.
inline constexpr std::array<std::string_view, 9> kProblemsBesidesWaits{"lock",
                                                                       "imbalance",
                                                                       "transfer",
                                                                       "input and output",
                                                                       "small messages",
                                                                       "slow iterations",
                                                                       "drift",
                                                                       "more ranks than processors",
                                                                       "more threads than processors"};

/// What a user may change to make the program faster, the most expensive first: docs/PROBLEMS.md has the list. Only what
/// costs at least a hundredth of the ranks' time. Uses the other tables of the summary.
std::vector<ProblemSummary> find_problems(const Summary& summary);

}  // namespace meridian
