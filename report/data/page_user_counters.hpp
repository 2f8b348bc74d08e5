// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "analysis/walk/trace_walk.hpp"
#include "merged/merged_trace.hpp"
#include "merged/user_values.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Curves of the counters that the program sets itself: in bins of time, the mean and the largest of what the threads have at the
/// bin's end. A thread counts from its first value on. docs/REPORT.md has the format.
class PageUserCounters {
 public:
  /// The trace must outlive it.
  PageUserCounters(const MergedTrace& trace, std::int64_t begin_ns, std::int64_t end_ns);

  /// Events in the order of time. errors: damaged; io
  Status look_at(std::span<const WalkedEvent> events);
  /// Empty: the program has set none.
  nlohmann::ordered_json finish();

 private:
  struct Curve {
    std::map<std::uint32_t, double> last;  ///< by location
    std::size_t bin = 0;                   ///< the first that is not filled in
    std::vector<double> mean, largest;     ///< NaN: no thread has a value
  };

  Status add(const MergedEvent& event);
  void fill(Curve& curve, std::size_t until_bin) const;

  const MergedTrace& trace_;
  UserValues values_;
  std::int64_t begin_ns_, bin_ns_;
  std::vector<bool> is_counter_;             // [call]
  std::map<std::uint32_t, Curve> curve_of_;  // by call
};

}  // namespace meridian
