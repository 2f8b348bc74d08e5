// SPDX-License-Identifier: Apache-2.0
#pragma once

// The handler of signal_samples.hpp, and what it knows of each thread.

#include <time.h>

#include <atomic>
#include <cstdint>

#include "trace/ring/sample_layout.hpp"

namespace meridian {

inline constexpr std::uint64_t kSampledSecondNs = 1'000'000'000;

// Cold, but for the handler.
struct SampledThread {
  std::atomic<bool> is_taken{false};            ///< somebody has begun to sample it
  std::atomic<SignalSample*> samples{nullptr};  ///< [kSampleRoom]; null: its signals do nothing
  SampleBuffer* buffer = nullptr;
  void* handler_stack = nullptr;  ///< null: it has its own, or none
  std::uint64_t begin_ns = 0;     ///< of its processor time, when its timer began
  clockid_t clock = 0;            ///< of its processor time
  int timer = 0;                  ///< the kernel's number
};
extern SampledThread g_sampled_threads[kSampleBuffers];  ///< by ThreadId

/// Installs the handler for a signal whose steps are `period_ns` of a thread's processor time; false: the system refuses.
bool prepare_handler(int number, std::uint64_t period_ns, clockid_t sampled_clock) noexcept;

/// Sets the time of the thread's next signal, which must have its ThreadId as value. AS-safe.
void set_next_sample(const SampledThread& sampled) noexcept;

}  // namespace meridian
