// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/clock_gaps.hpp"

#include <algorithm>

#include "merger/model/clock_tuning.hpp"

namespace meridian {

ClockGaps gaps_between(std::vector<std::size_t> exchanges, std::size_t knots, double step_s) {
  ClockGaps gaps{std::vector<double>(knots, 0), std::vector<bool>(knots, false)};
  if (exchanges.empty()) exchanges = {0, knots - 1};
  for (std::size_t i = 0; i + 1 < exchanges.size(); ++i) {
    const std::size_t first = exchanges[i], last = exchanges[i + 1];
    const double half = (static_cast<double>(last - first) * step_s - ClockTuning::kShortGapS) / 2;
    for (std::size_t k = first; k <= last && half > 0; ++k) {
      const double near = static_cast<double>(std::min(k - first, last - k)) * step_s;
      gaps.seconds[k] = std::max(gaps.seconds[k], half - near);
      gaps.is_long[k] = true;
    }
  }
  const std::size_t first = exchanges.front(), last = exchanges.back();
  const auto seconds_between = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(to - from) * step_s;
  };
  // A single exchange does not determine the rate.
  if (first == last) gaps.seconds[first] = std::max(seconds_between(0, first), seconds_between(last, knots - 1)) / 2;
  for (std::size_t k = 0; k < first; ++k) gaps.seconds[k] = gaps.seconds[first] + seconds_between(k, first);
  for (std::size_t k = last + 1; k < knots; ++k) gaps.seconds[k] = gaps.seconds[last] + seconds_between(last, k);
  for (std::size_t k = 0; k < knots; ++k)
    gaps.is_long[k] = gaps.is_long[k] || gaps.seconds[k] > ClockTuning::kShortGapS;
  return gaps;
}

}  // namespace meridian
