#pragma once

#include <vector>

#include "cli/where/rank_now.hpp"

namespace meridian {

/// Fills in where the calls under way stand in the source. The programs' files are read as far as they still are what
/// ran, by a process of its own.
void find_call_places(std::vector<RankNow>& ranks);

/// "stuck.c:27"; where there is no line "stuck+0x1234"; empty: nothing is known.
std::string short_place(const CallPlace& place);

}  // namespace meridian
