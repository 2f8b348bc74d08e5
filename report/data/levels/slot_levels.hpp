// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/data/levels/time_bins.hpp"

namespace meridian {

/// Rows of equally long bins of time: the time in each of some slots, which stand for whatever rows are coloured by.
class SlotLevels {
 public:
  SlotLevels(std::size_t rows, std::size_t slots, const TimeBins& bins)
      : slots_{slots}, bins_{bins}, times_(rows * slots * bins.count()) {}

  /// Times outside of the bins are left out.
  void add_time(std::size_t row, std::size_t slot, std::int64_t begin_ns, std::int64_t end_ns) {
    bins_.for_each(begin_ns, end_ns, [&](std::size_t bin, std::int64_t ns) { add(row, slot, bin, ns); });
  }
  /// To one bin.
  void add(std::size_t row, std::size_t slot, std::size_t bin, std::int64_t amount) {
    times_[(row * slots_ + slot) * bins_.count() + bin] += static_cast<float>(amount);
  }

  std::size_t slots() const noexcept { return slots_; }
  std::size_t bins() const noexcept { return bins_.count(); }
  std::int64_t width_ns() const noexcept { return bins_.width_ns(); }
  std::size_t bin_of(std::int64_t at_ns) const noexcept { return bins_.at(at_ns); }
  float time_ns(std::size_t row, std::size_t slot, std::size_t bin) const {
    return times_[(row * slots_ + slot) * bins_.count() + bin];
  }

 private:
  std::size_t slots_;
  TimeBins bins_;
  std::vector<float> times_;  // [row][slot][bin]
};

}  // namespace meridian
