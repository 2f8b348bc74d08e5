// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace meridian {

/// Equally long bins of a time span.
class TimeBins {
 public:
  TimeBins(std::size_t count, std::int64_t begin_ns, std::int64_t end_ns)
      : count_{count},
        begin_ns_{begin_ns},
        width_ns_{std::max<std::int64_t>(
            1, (end_ns - begin_ns + static_cast<std::int64_t>(count) - 1) / static_cast<std::int64_t>(count))} {}

  std::size_t count() const noexcept { return count_; }
  std::int64_t width_ns() const noexcept { return width_ns_; }
  std::int64_t begin_of(std::size_t bin) const noexcept {
    return begin_ns_ + static_cast<std::int64_t>(bin) * width_ns_;
  }
  /// The bin of a time; of times outside of the bins the nearest one.
  std::size_t at(std::int64_t at_ns) const noexcept {
    const std::int64_t bin = (at_ns - begin_ns_) / width_ns_;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, static_cast<std::int64_t>(count_) - 1));
  }
  /// Calls add(bin, ns) for each bin that a span touches. Times outside of the bins are left out.
  template <class Add>
  void for_each(std::int64_t begin_ns, std::int64_t end_ns, Add&& add) const {
    end_ns = std::min(end_ns, begin_of(count_));
    for (std::int64_t at_ns = std::max(begin_ns, begin_ns_); at_ns < end_ns;) {
      const std::size_t bin = at(at_ns);
      const std::int64_t next_ns = std::min(end_ns, begin_of(bin + 1));
      add(bin, next_ns - at_ns);
      at_ns = next_ns;
    }
  }

 private:
  std::size_t count_;
  std::int64_t begin_ns_;
  std::int64_t width_ns_;
};

}  // namespace meridian
