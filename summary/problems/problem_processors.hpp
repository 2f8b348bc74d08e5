// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "summary/measures.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Time that ranks lose because threads that could run have no processor.
struct Lack {
  double own_s = 0;              ///< of the ranks without one
  bool knows_intervals = false;  ///< when that was is known: then waits of other ranks for it are known, too
};

/// Waits that are charged to a rank, or to all of them (-1), and the part of them that is charged to its lack of a processor.
struct ReadyDelays {
  double all_s = 0, ready_s = 0;
};
ReadyDelays ready_delays(const Summary& summary, std::int32_t rank);

/// Adds the problem of ranks, or their threads, that are ready to run and have no processor. Returns what they lose; 0: no problem.
Lack find_lack_of_processors(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems);

}  // namespace meridian
