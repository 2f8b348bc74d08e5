// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over the delays and the waits of a summary: of all delays, as much as of all waits.

#include <cstdint>

#include "analysed.hpp"

namespace meridian::test {

inline std::int64_t sum_of_delays(const Summary& summary) {
  std::int64_t sum = 0;
  for (const DelaySummary& row : summary.delays) sum += ns(row.short_term_s) + ns(row.long_term_s);
  return sum;
}
inline std::int64_t sum_of_waits(const Summary& summary) {
  std::int64_t sum = 0;
  for (const WaitPairSummary& row : summary.wait_pairs) sum += ns(row.total_s);
  return sum;
}

}  // namespace meridian::test
