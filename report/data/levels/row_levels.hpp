// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/data/levels/state_classes.hpp"
#include "report/data/levels/time_bins.hpp"

namespace meridian {

/// Rows of equally long bins of time: the time in each class, the number of calls and the longest call of each bin.
class RowLevels {
 public:
  RowLevels(std::size_t rows, std::size_t bins, std::int64_t begin_ns, std::int64_t end_ns)
      : bins_{bins},
        time_{bins, begin_ns, end_ns},
        times_(rows * kStateClasses * bins),
        calls_(rows * bins),
        longest_(rows * bins) {}

  /// Times outside of the bins are left out.
  void add_time(std::size_t row, StateClass state, std::int64_t begin_ns, std::int64_t end_ns) {
    float* const times = &times_[(row * kStateClasses + static_cast<std::size_t>(state)) * bins_];
    time_.for_each(begin_ns, end_ns, [&](std::size_t bin, std::int64_t ns) { times[bin] += static_cast<float>(ns); });
  }
  void add_call(std::size_t row, std::int64_t enter_ns, std::int64_t duration_ns, std::uint64_t calls) {
    const std::size_t at = row * bins_ + bin_of(enter_ns);
    calls_[at] += calls;
    longest_[at] = std::max(longest_[at], duration_ns);
  }

  /// The row of another object with as many bins.
  void copy_row(std::size_t row, const RowLevels& from, std::size_t from_row) {
    const auto copy = [](auto& to_values, const auto& from_values, std::size_t to_at, std::size_t from_at,
                         std::size_t count) {
      std::copy_n(from_values.begin() + static_cast<std::ptrdiff_t>(from_at), count,
                  to_values.begin() + static_cast<std::ptrdiff_t>(to_at));
    };
    copy(times_, from.times_, row * kStateClasses * bins_, from_row * kStateClasses * bins_, kStateClasses * bins_);
    copy(calls_, from.calls_, row * bins_, from_row * bins_, bins_);
    copy(longest_, from.longest_, row * bins_, from_row * bins_, bins_);
  }

  std::size_t bins() const noexcept { return bins_; }
  std::int64_t width_ns() const noexcept { return time_.width_ns(); }
  std::int64_t begin_of(std::size_t bin) const noexcept { return time_.begin_of(bin); }
  std::size_t bin_of(std::int64_t at_ns) const noexcept { return time_.at(at_ns); }
  float time_ns(std::size_t row, std::size_t state, std::size_t bin) const {
    return times_[(row * kStateClasses + state) * bins_ + bin];
  }
  std::uint64_t calls(std::size_t row, std::size_t bin) const { return calls_[row * bins_ + bin]; }
  std::int64_t longest_ns(std::size_t row, std::size_t bin) const { return longest_[row * bins_ + bin]; }

 private:
  std::size_t bins_;
  TimeBins time_;
  std::vector<float> times_;  // [row][class][bin]
  std::vector<std::uint64_t> calls_;
  std::vector<std::int64_t> longest_;
};

}  // namespace meridian
