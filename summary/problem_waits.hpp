// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "summary/measures.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Adds problems whose cost are waits: for ranks that come late, and for locks.
void find_waiting(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems);

/// "halo.c:70"; module and offset without a line.
std::string place_text(const SiteSummary& site);

/// " (halo.c:70)"; empty without a place.
std::string in_brackets(const std::string& place);

}  // namespace meridian
