// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "live/rank_now.hpp"

namespace meridian {

/// Fills in the source locations of the calls in progress. The programs' files are read in a separate process, if they
/// are unchanged since the programs started.
void find_call_places(std::vector<RankNow>& ranks);

/// "stuck.c:27"; without a line "stuck+0x1234"; empty: unknown.
std::string short_place(const CallPlace& place);

}  // namespace meridian
