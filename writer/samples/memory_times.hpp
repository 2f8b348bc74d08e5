// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "trace/format/rank/memory_table.hpp"
#include "trace/records/finish/sample_spool.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// The memory of a process over time. Between two rows it changes by less than kLeastBytes, or evenly.
class MemoryTimes {
 public:
  static constexpr std::uint64_t kLeastBytes = 65536;
  static constexpr std::uint64_t kLeastFaults = 16;  ///< minor ones: as many pages
  static constexpr std::uint64_t kShortestStepNs = 10'000'000, kLongestStepNs = 100'000'000;

  /// `clock`: whose ticks are the times of the rows.
  MemoryTimes(std::int32_t pid, ClockKind clock) : pid_{pid}, clock_{clock} {}

  /// Reads what the kernel counts now if it is time, or if this is the last time; adds a row if something has changed.
  /// `now_ns`: CLOCK_MONOTONIC. Short runs are read more often.
  void take(std::uint64_t now_ns, bool is_last, SampleSpoolWriter& spool);

 private:
  void add(const MemoryRow& row, bool is_last, SampleSpoolWriter& spool);

  std::int32_t pid_;
  ClockKind clock_;
  std::uint64_t begin_ns_ = 0, next_ns_ = 0, peak_bytes_ = 0;
  std::optional<MemoryRow> stored_;   // the last row
  std::optional<MemoryRow> skipped_;  // read later, hardly different
};

}  // namespace meridian
