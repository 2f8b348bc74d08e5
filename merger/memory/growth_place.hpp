// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "merger/memory/memory_curve.hpp"
#include "merger/model/trace.hpp"

namespace meridian {

/// Where the memory of a rank grows.
struct GrowthPlace {
  std::string iteration;  ///< region of the program or function of MPI that is repeated meanwhile; empty: unknown
  std::uint64_t iterations = 0;  ///< in the time of the growth
  std::string region;            ///< innermost region of the program that has the growth; empty: unknown
};

/// Walks the rank's first thread with calls. Iterations are instances of the longest region with nine tenths of the growth, at least eight,
/// spread over all of its time; without one, calls of the rarest function of MPI that is called so. The region is the shortest
/// one with nine tenths of the growth whose instances are longer than what the readings resolve. Segments that cannot be read are left
/// out; an earlier pass has reported them.
///
/// file  index in Trace::files
GrowthPlace find_growth_place(const Trace& trace, std::size_t file, const MemoryCurve& curve,
                              const MemoryGrowth& growth);

}  // namespace meridian
