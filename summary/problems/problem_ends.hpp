// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// Calls that had not returned when their ranks ended.
struct Unfinished {
  std::uint64_t calls = 0;
  double time_s = 0;
};

/// Those of a function.
Unfinished unfinished_calls(const Summary& summary, std::string_view function);

/// Adds a problem for the ranks that were in such calls when the program ended. Returns its cost; 0: no problem.
double find_unfinished_calls(const Summary& summary, std::vector<ProblemSummary>& problems);

}  // namespace meridian
