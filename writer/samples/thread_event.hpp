// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "trace/model/result.hpp"
#include "writer/samples/copied_stack.hpp"
#include "writer/samples/kernel_buffer.hpp"

namespace meridian {

/// Takes samples of one thread of another process by the kernel (perf_event_open(2)): at equal steps of its processor time, with
/// its registers and a copy of its stack. Nothing runs in that thread for it. Movable.
class ThreadEvent {
 public:
  /// The call that opens the event: perf_event_open(), or a test's. -1 and errno if the kernel refuses.
  using Open = int (*)(std::int32_t kernel_tid, std::uint64_t period_ns, clockid_t clock);
  /// `time_ns` is on the clock that the event was opened with.
  using Take = std::function<void(std::uint64_t time_ns, const CopiedStack& stack)>;

  /// errno is of the call that failed. errors  not_found: the thread has ended; io: the kernel refuses, `what` is the reason
  static Result<ThreadEvent> open(std::int32_t kernel_tid, std::uint64_t period_ns, clockid_t clock, Open open);
  static int open_event(std::int32_t kernel_tid, std::uint64_t period_ns, clockid_t clock) noexcept;

  /// Its descriptor, which poll(2) reports after each sample.
  int descriptor() const noexcept { return buffer_.event(); }
  /// From now on; the thread's present step begins anew.
  void set_period(std::uint64_t period_ns) noexcept;
  /// Passes on the samples since the last call, in order of time. Returns the number of those that the kernel dropped.
  std::uint64_t drain(const Take& take);

 private:
  explicit ThreadEvent(KernelBuffer buffer) : buffer_{std::move(buffer)} {}

  KernelBuffer buffer_;
};

}  // namespace meridian
