// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/format/rank/processor_table.hpp"

namespace meridian {

/// What a thread does to a processor: it gets one, leaves it although it could go on, or leaves it to sleep.
enum class Switch : std::uint8_t { on, off_ready, off_asleep };

/// Makes intervals without a processor of the switches of one thread. Intervals shorter than kShortNs are summed: those of a kind
/// whose first and last are at most kSumNs apart are one row.
class SwitchPairs {
 public:
  static constexpr std::uint64_t kShortNs = 20'000;
  static constexpr std::uint64_t kSumNs = 10'000'000;

  explicit SwitchPairs(std::uint32_t thread) : thread_{thread} {}

  /// Takes the next switch, at this time on a system clock and on that of the ring; appends the intervals that have ended.
  void add(Switch what, std::uint64_t time_ns, std::uint64_t ticks, std::vector<ProcessorRow>& rows);
  /// Switches are missing here: an interval that has begun has no known end.
  void forget() noexcept { off_.reset(); }
  /// Appends the sums of short intervals.
  void flush(std::vector<ProcessorRow>& rows);

 private:
  struct Off {
    std::uint64_t ns = 0, ticks = 0;
    bool is_ready = false;
  };
  struct Sum {
    std::uint64_t begin_ns = 0, begin_ticks = 0, end_ticks = 0, ticks = 0;
    std::uint32_t count = 0;
  };
  void add_short(const Off& off, std::uint64_t ticks, std::vector<ProcessorRow>& rows);
  void flush(bool is_ready, std::vector<ProcessorRow>& rows);

  std::uint32_t thread_;
  std::optional<Off> off_;   // without a processor since then
  std::array<Sum, 2> sums_;  // [is_ready]
};

}  // namespace meridian
