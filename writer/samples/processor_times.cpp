// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/processor_times.hpp"

#include <algorithm>
#include <utility>

#include "trace/model/sample_keys.hpp"

namespace meridian {

void ProcessorTimes::add(std::uint32_t number, std::int32_t kernel_tid, const TickLine& clock,
                         const ScheduleCounts& counts) {
  threads_.erase(kernel_tid);
  auto event = SwitchEvent::open(kernel_tid, clock.clock(), open_);
  if (!event && event.error().code == Errc::not_found) return;
  Thread thread{number, std::nullopt, SwitchPairs{number}, counts, clock.now_ns()};
  if (event)
    thread.event = *std::move(event);
  else if (refused_.empty())
    refused_ = event.error().what;
  threads_.emplace(kernel_tid, std::move(thread));
}

void ProcessorTimes::rest(std::int32_t kernel_tid, const ScheduleCounts& counts, std::uint64_t time_ns) {
  const auto known = threads_.find(kernel_tid);
  if (known == threads_.end()) return;
  Thread& thread = known->second;
  thread.event.reset();
  thread.pairs.forget();
  thread.counts = counts;
  thread.time_ns = time_ns;
}

void ProcessorTimes::sum(std::int32_t kernel_tid, const ScheduleCounts& counts, std::uint64_t time_ns,
                         const TickLine& clock) {
  const auto known = threads_.find(kernel_tid);
  if (known == threads_.end()) return;
  Thread& thread = known->second;
  if (thread.event) return;
  const std::uint64_t begin_ns = std::exchange(thread.time_ns, time_ns);
  const ScheduleCounts before = std::exchange(thread.counts, counts);
  if (counts.ready_ns <= before.ready_ns || counts.switches <= before.switches || time_ns <= begin_ns) return;
  const std::uint64_t ready_ns = std::min(counts.ready_ns - before.ready_ns, time_ns - begin_ns);
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(counts.switches - before.switches, UINT32_MAX));
  const std::uint64_t end = clock.ticks_at(time_ns), ready = end - clock.ticks_at(time_ns - ready_ns);
  const std::uint64_t length = count == 1 ? ready : end - clock.ticks_at(begin_ns);
  rows_.push_back({end, length, length - std::min(length, ready), thread.number, count, true});
}

double ProcessorTimes::drain(const TickLine& clock) {
  double most = 0;
  for (auto& [kernel_tid, thread] : threads_) {
    if (!thread.event) continue;
    SwitchPairs& pairs = thread.pairs;
    const double filled = thread.event->drain(
        [&](std::uint64_t time_ns, Switch what) { pairs.add(what, time_ns, clock.ticks_at(time_ns), rows_); },
        [&](std::uint64_t count) {
          lost_ += count;
          pairs.forget();
        });
    pairs.flush(rows_);
    most = std::max(most, filled);
  }
  return most;
}

void ProcessorTimes::store(std::uint64_t until_ticks, SampleSpoolWriter& spool) {
  std::ranges::stable_sort(rows_, {}, &ProcessorRow::ticks);
  const auto rest = std::ranges::lower_bound(rows_, until_ticks, {}, &ProcessorRow::ticks);
  for (auto row = rows_.begin(); row != rest; ++row) spool.add(*row);
  rows_.erase(rows_.begin(), rest);
  if (lost_ != std::exchange(stored_lost_, lost_)) spool.add(kProcessorLostKey, std::to_string(lost_), 0);
  if (!refused_.empty() && !std::exchange(is_refusal_stored_, true)) spool.add(kProcessorRefusedKey, refused_, 0);
}

}  // namespace meridian
