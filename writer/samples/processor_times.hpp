// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/format/rank/processor_table.hpp"
#include "trace/records/finish/sample_spool.hpp"
#include "writer/samples/schedule_counts.hpp"
#include "writer/samples/switch_event.hpp"
#include "writer/samples/switch_pairs.hpp"
#include "writer/samples/tick_line.hpp"

namespace meridian {

/// The intervals in which the threads of a process had no processor.
class ProcessorTimes {
 public:
  explicit ProcessorTimes(SwitchEvent::Open open) : open_{open} {}

  /// From now on of this thread, too; replaces one of the same kernel id. Where the kernel refuses, it has sums.
  void add(std::uint32_t number, std::int32_t kernel_tid, const TickLine& clock, const ScheduleCounts& counts);
  /// Of this thread from now on no single intervals, until it is added again.
  void rest(std::int32_t kernel_tid, const ScheduleCounts& counts, std::uint64_t time_ns);
  /// Takes the sum of the intervals of a thread, if it has no single ones, since that began or since the last call.
  void sum(std::int32_t kernel_tid, const ScheduleCounts& counts, std::uint64_t time_ns, const TickLine& clock);
  /// Takes over what the kernel has. Returns the largest part of a buffer that was filled.
  double drain(const TickLine& clock);
  /// Stores the intervals that ended before `until_ticks`; all earlier ones must have been drained.
  void store(std::uint64_t until_ticks, SampleSpoolWriter& spool);
  /// Forgets a thread that has ended.
  void remove(std::int32_t kernel_tid) { threads_.erase(kernel_tid); }

 private:
  struct Thread {
    std::uint32_t number = 0;
    std::optional<SwitchEvent> event;  // none: it rests, or the kernel refuses
    SwitchPairs pairs;
    ScheduleCounts counts;  // without the event: at the last sum
    std::uint64_t time_ns = 0;
  };
  SwitchEvent::Open open_;
  std::map<std::int32_t, Thread> threads_;  // by kernel id
  std::vector<ProcessorRow> rows_;          // not stored yet
  std::uint64_t lost_ = 0, stored_lost_ = 0;
  std::string refused_;  // why the kernel permits none
  bool is_refusal_stored_ = false;
};

}  // namespace meridian
