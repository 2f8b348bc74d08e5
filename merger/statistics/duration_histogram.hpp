// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/model/log_ranges.hpp"

namespace meridian {

/// Counts durations by LogRanges: quantiles are known to about 3 %.
class DurationHistogram {
 public:
  void add(std::uint64_t ns, std::uint64_t count) {
    if (counts_.empty()) [[unlikely]]
      counts_.resize(LogRanges::kCount);
    counts_[LogRanges::of(ns)] += count;
    all_ += count;
  }
  std::uint64_t count() const noexcept { return all_; }
  /// The duration that this share of all does not exceed, in ns; in the range interpolated. 0 without any.
  double quantile(double share) const noexcept;
  /// The mean of the shortest ones that are this share of all, in ns.
  double mean_of_shortest(double share) const noexcept;

 private:
  std::vector<std::uint64_t> counts_;  // empty until the first one
  std::uint64_t all_ = 0;
};

}  // namespace meridian
