// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/duration_histogram.hpp"

#include <algorithm>

namespace meridian {

double DurationHistogram::quantile(double share) const noexcept {
  if (all_ == 0) return 0;
  double left = share * static_cast<double>(all_);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto count = static_cast<double>(counts_[i]);
    if (count == 0 || left > count) {
      left -= count;
      continue;
    }
    if (i < LogRanges::kParts) return LogRanges::begin(i);  // one nanosecond wide
    return LogRanges::begin(i) + (LogRanges::begin(i + 1) - LogRanges::begin(i)) * std::max(left, 0.0) / count;
  }
  return 0;
}

double DurationHistogram::mean_of_shortest(double share) const noexcept {
  const double wanted = share * static_cast<double>(all_);
  double left = wanted, sum = 0;
  for (std::size_t i = 0; i < counts_.size() && left > 0; ++i) {
    const double taken = std::min(static_cast<double>(counts_[i]), left);
    sum += taken * (i < LogRanges::kParts ? LogRanges::begin(i) : (LogRanges::begin(i) + LogRanges::begin(i + 1)) / 2);
    left -= taken;
  }
  return wanted > 0 ? sum / wanted : 0;
}

}  // namespace meridian
