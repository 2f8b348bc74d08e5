// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace meridian {

/// Processor time of an analysis that looks at events forwards, in ns per event of the trace. Only ratios matter.
struct AnalysisCost {
  int own = 0;
  bool reads_links = false;  ///< of events to messages and collectives
  bool walks_twice = false;  ///< it wants to see all events again
};

/// Reading all events once, which the analyses of one process share.
inline constexpr int kWalkCost = 147;
/// The same for the links.
inline constexpr int kLinksCost = 116;

/// The cost for one process that runs these analyses; 0 without any.
int cost_of(std::span<const AnalysisCost> analyses);

/// Divides analyses among processes: the largest cost of a process is as small as possible, and among such divisions the
/// sum of all costs. Tries all divisions, which are few.
///
/// returns  [process], at most `processes`: numbers of analyses, in ascending order. Further processes have nothing to do
std::vector<std::vector<std::size_t>> divide_analyses(std::span<const AnalysisCost> costs, std::size_t processes);

}  // namespace meridian
