// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/memory_times.hpp"

#include <algorithm>
#include <utility>

#include "trace/ring/ring_clock.hpp"
#include "writer/samples/memory_use.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReadingsOfARun = 32;  // at least, between the shortest and the longest step

std::uint64_t distance(std::uint64_t a, std::uint64_t b) noexcept { return a > b ? a - b : b - a; }

bool differs(const MemoryRow& a, const MemoryRow& b) noexcept {
  return distance(a.resident_bytes, b.resident_bytes) >= MemoryTimes::kLeastBytes ||
         distance(a.peak_bytes, b.peak_bytes) >= MemoryTimes::kLeastBytes || a.swapped_bytes != b.swapped_bytes ||
         distance(a.minor_faults, b.minor_faults) >= MemoryTimes::kLeastFaults || a.major_faults != b.major_faults;
}

}  // namespace

void MemoryTimes::take(std::uint64_t now_ns, bool is_last, SampleSpoolWriter& spool) {
  if (now_ns < next_ns_ && !is_last) return;
  if (begin_ns_ == 0) begin_ns_ = now_ns;
  next_ns_ = now_ns + std::clamp((now_ns - begin_ns_) / kReadingsOfARun, kShortestStepNs, kLongestStepNs);
  const std::uint64_t ticks = ticks_now(clock_);
  const auto use = memory_use(pid_);
  if (!use && is_last && skipped_) spool.add(*std::exchange(skipped_, std::nullopt));  // the process has ended
  if (!use || ticks == 0) return;
  peak_bytes_ = std::max(peak_bytes_, use->peak_bytes);  // the kernel's becomes less where it corrects its sums
  add({ticks, use->resident_bytes, peak_bytes_, use->swapped_bytes, use->minor_faults, use->major_faults}, is_last,
      spool);
}

// Before a change the last reading without it is stored, so that the change is not spread over the time since the last row.
void MemoryTimes::add(const MemoryRow& row, bool is_last, SampleSpoolWriter& spool) {
  if (stored_ && !differs(row, *stored_) && !is_last) {
    skipped_ = row;
    return;
  }
  if (skipped_ && differs(row, *skipped_)) spool.add(*skipped_);
  skipped_.reset();
  spool.add(row);
  stored_ = row;
}

}  // namespace meridian
