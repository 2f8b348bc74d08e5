// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "trace/model/result.hpp"
#include "writer/samples/kernel_buffer.hpp"
#include "writer/samples/switch_pairs.hpp"

namespace meridian {

/// Learns from the kernel (perf_event_open(2)) when a thread of another process leaves a processor and gets one. Nothing runs in
/// that thread for it. Movable.
class SwitchEvent {
 public:
  /// The call that opens the event: perf_event_open(), or a test's. -1 and errno if the kernel refuses.
  using Open = int (*)(std::int32_t kernel_tid, clockid_t clock);
  /// `time_ns` is on the clock that the event was opened with.
  using Take = std::function<void(std::uint64_t time_ns, Switch what)>;
  /// The kernel dropped this many switches, between those before and after.
  using Lose = std::function<void(std::uint64_t count)>;

  /// errors  not_found: the thread has ended; io: the kernel refuses, `what` is the reason
  static Result<SwitchEvent> open(std::int32_t kernel_tid, clockid_t clock, Open open);
  static int open_event(std::int32_t kernel_tid, clockid_t clock) noexcept;

  /// Passes on the switches since the last call, in order of time. Returns the part of the kernel's buffer that they filled.
  double drain(const Take& take, const Lose& lose);

 private:
  explicit SwitchEvent(KernelBuffer buffer) : buffer_{std::move(buffer)} {}

  KernelBuffer buffer_;
};

}  // namespace meridian
