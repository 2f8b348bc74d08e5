// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace meridian {

/// Totals of the values of a user counter.
struct ValueTotals {
  std::uint64_t count = 0;
  double sum = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double last = 0;  ///< at the latest global time
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();

  void add(double value, std::int64_t at_ns) noexcept;
};

}  // namespace meridian
