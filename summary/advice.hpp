// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// Suggestions for the next step, the most important first; never empty. Each has one or two sentences that give the
/// figures it rests on.
std::vector<std::string> advise(const Summary& summary);

}  // namespace meridian
