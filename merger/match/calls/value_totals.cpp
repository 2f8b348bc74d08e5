// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/value_totals.hpp"

#include <algorithm>

namespace meridian {

void ValueTotals::add(double value, std::int64_t at_ns) noexcept {
  ++count;
  sum += value;
  min = std::min(min, value);
  max = std::max(max, value);
  if (at_ns < last_ns) return;
  last = value;
  last_ns = at_ns;
}

}  // namespace meridian
