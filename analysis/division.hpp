// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace meridian {

/// Processor time of an analysis that looks at events forwards, in ns per event of the trace. Only ratios matter.
struct AnalysisCost {
  int own = 0;
  bool walks_twice = false;  ///< it wants to see all events again
};

/// Reading the events, which the analyses of one process share.
inline constexpr int kFirstWalkCost = 263;
inline constexpr int kSecondWalkCost = 147;

/// Of one process with these analyses.
int cost_of(std::span<const AnalysisCost> analyses);

/// Divides analyses among processes so that the one with most to do has as little as possible; then, so that all together
/// have as little as possible. Tries all divisions, which are few.
///
/// returns  [process], at most `processes`: numbers of analyses, in ascending order; further processes have nothing to do
std::vector<std::vector<std::size_t>> divide_analyses(std::span<const AnalysisCost> costs, std::size_t processes);

}  // namespace meridian
