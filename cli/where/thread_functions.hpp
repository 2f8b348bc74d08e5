// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "live/rank_now.hpp"

namespace meridian {

/// Sets the place of each thread of a running rank of this host that computes outside of recorded calls: the function of the program that
/// it is in, as the kernel samples it within 0.1 s. The program is neither stopped nor changed. A thread stays without a place
/// where the kernel refuses samples, or where it used no processor in that time.
void find_thread_functions(std::vector<RankNow>& ranks);

}  // namespace meridian
