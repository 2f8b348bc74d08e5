// SPDX-License-Identifier: Apache-2.0
#include "merger/model/recording_costs.hpp"

#include <algorithm>

#include "trace/model/recording_cost.hpp"

namespace meridian {
namespace {

constexpr double kHighestNs = 1e6;  // a higher cost of a call is one of a damaged file

}  // namespace

RecordingCosts recording_costs(const RankMeta& meta, const ClockMap& clock) {
  RecordingCosts costs;
  for (const OverheadRow& row : meta.overheads) {
    if (row.count == 0) continue;
    const double ns = static_cast<double>(clock.to_global(row.leave_ticks) - clock.to_global(row.enter_ticks)) /
                      static_cast<double>(row.count);
    if (!(ns >= 0 && ns <= kHighestNs)) continue;
    switch (static_cast<CostKind>(row.kind)) {
      case CostKind::call:
        costs.call.all_ns = ns;
        break;
      case CostKind::call_inside:
        costs.call.inside_ns = ns;
        break;
      case CostKind::counted_call:
        costs.counted_call.all_ns = ns;
        break;
      case CostKind::counted_call_inside:
        costs.counted_call.inside_ns = ns;
        break;
      case CostKind::other_call:
        costs.other.all_ns = ns;
        break;
      case CostKind::other_call_inside:
        costs.other.inside_ns = ns;
        break;
      case CostKind::poll:
        costs.poll_ns = ns;
        break;
    }
  }
  for (RecordingCost* const cost : {&costs.call, &costs.counted_call, &costs.other})
    cost->inside_ns = std::clamp(cost->inside_ns, 0.0, std::max(cost->all_ns, 0.0));
  return costs;
}

}  // namespace meridian
