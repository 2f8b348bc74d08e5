// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recording that is switched from outside the program (`--window`, `meridian control`) begins at another call on each
// rank, so the n-th recorded collective of one rank is not the n-th of another one.

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "merger/match/collectives/match_collectives.hpp"
#include "merger/model/trace.hpp"

namespace meridian {

/// The first collectives of a rank on a communicator in one epoch.
struct ResumedCollectives {
  struct One {
    std::int64_t enter_ns = 0;
    std::int64_t leave_ns = 0;  ///< blocking calls only
    std::uint16_t call = 0;
    std::int32_t root = -1;
    bool waits_for_all = false;  ///< a blocking call that returns only after every rank has begun it
  };
  std::uint32_t rank_index = 0;
  std::uint32_t domain = 0;   ///< of its clock
  std::int64_t until_ns = 0;  ///< recording was on until then
  std::vector<One> calls;     ///< at most kMost
  static constexpr std::size_t kMost = 128;
};

/// Finds how many collectives of the epoch each rank has missed at its begin: those that wait for all must overlap in
/// time, and all ranks call the same function with the same root. A rank for which there is not exactly one number gets
/// CollectiveStarts::kUnknown.
std::vector<std::uint64_t> align_collectives(std::span<const ResumedCollectives> ranks);

/// Reads the first collectives after each switch, if there are switches from outside, and aligns them. Another pass
/// over the rank files.
CollectiveStarts find_collective_starts(Trace& trace);

}  // namespace meridian
