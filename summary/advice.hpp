// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// What flaws of the trace mean for all figures; empty: there are none that matter.
std::string describe_flaws(const Summary& summary);

/// Suggestions for the next step besides those of the problems, the most important first. Each has one or two sentences
/// that give the figures it rests on.
std::vector<std::string> advise(const Summary& summary);

}  // namespace meridian
