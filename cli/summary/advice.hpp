// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// What the numbers suggest to do next, the most important first; never empty. Each is one or two sentences that name
/// the figures they rest on.
std::vector<std::string> advise(const Summary& summary);

}  // namespace meridian
