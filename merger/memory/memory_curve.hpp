// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace meridian {

/// Growth of memory that is never given back.
struct MemoryGrowth {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint64_t bytes = 0;  ///< in that time
};

/// The resident memory of a process at steps of equal length, between readings by a line. Memory is bounded: the step doubles when there are kMost.
class MemoryCurve {
 public:
  static constexpr std::size_t kMost = 512;
  static constexpr std::int64_t kShortestStepNs = 10'000'000;

  /// Takes a reading, in order of time.
  void add(std::int64_t time_ns, std::uint64_t resident_bytes);
  /// Bytes at a time, between the steps by a line; before the first reading and after the last one those of that reading.
  double at(std::int64_t time_ns) const noexcept;
  std::int64_t step_ns() const noexcept { return step_ns_; }

  /// Whether memory grows steadily over most of the run: after the first quarter, in which programs set up, the least memory of
  /// each of six slices of the time is above that of the slice before, by at least a quarter of the mean step; over all slices by at
  /// least 16 MiB and a tenth. What a program frees at the end, in at most the last fifth, is passed over.
  std::optional<MemoryGrowth> steady_growth() const;

 private:
  void halve();

  std::int64_t first_ns_ = 0, step_ns_ = kShortestStepNs;
  std::vector<double> points_;  // at the ends of the steps
};

}  // namespace meridian
