// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples that a signal takes inside the traced process (MERIDIAN_SAMPLES_BY=signal), in its ring file:
//
//   [SampleBuffer x kSampleBuffers, from sample_buffers_offset on][SignalSample x kSampleRoom, in kSampleBufferBytes, for each of them]
//
// A buffer belongs to the thread whose ThreadId is its number, and is never used again. The thread's handler stores samples, the
// writer takes them.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

inline constexpr std::uint32_t kSampleBuffers = kCards;
inline constexpr std::uint64_t kSampleRoom = 31;  ///< samples of a thread between two visits of the writer
inline constexpr std::size_t kSampledStackBytes = 8192;

enum class SampleState : std::uint32_t {
  none = 0,     ///< the thread has no timer
  taking = 1,   ///< has one
  blocked = 2,  ///< had the signal blocked when it should have got one
  refused = 3,  ///< the system gave it none: see `problem`
  ended = 4,    ///< has taken its last sample
};

struct SampleBuffer {
  alignas(64) std::atomic<std::uint64_t> taken{0};  ///< samples that were stored; sample n is at n % kSampleRoom
  std::atomic<std::uint64_t> dropped{0};            ///< those for which there was no room
  std::atomic<std::uint64_t> processor_ns{0};       ///< of the thread, since its timer began, at its last sample
  std::atomic<SampleState> state{SampleState::none};
  std::int32_t problem = 0;                        ///< errno
  std::atomic<std::uint32_t> bell{0};              ///< futex word: counts the samples, if `is_watched`
  alignas(64) std::atomic<std::uint64_t> read{0};  ///< samples that the writer has taken over
  std::atomic<std::uint32_t> is_watched{0};        ///< 1: the writer waits at the bell
};
static_assert(sizeof(SampleBuffer) == 128);

/// A thread at one moment, as its handler found it.
struct SignalSample {
  std::uint64_t time_ns = 0;  ///< of the clock that sampled_clock() names
  std::uint64_t ip = 0, sp = 0, bp = 0;
  std::uint64_t bytes = 0;  ///< of `stack` that are valid: a copy of what is at `sp`
  std::byte stack[kSampledStackBytes];
};
inline constexpr std::uint64_t kSampleBufferBytes =
    (kSampleRoom * sizeof(SignalSample) + kRingPageBytes - 1) / kRingPageBytes * kRingPageBytes;
inline constexpr std::uint64_t kSampleHeadBytes = kSampleBuffers * sizeof(SampleBuffer);
static_assert(kSampleHeadBytes % kRingPageBytes == 0);
inline constexpr std::uint64_t kAllSampleBytes = kSampleHeadBytes + kSampleBuffers * kSampleBufferBytes;

/// The offset in the file of the samples of a buffer.
constexpr std::uint64_t samples_at(std::uint64_t buffers_offset, std::uint32_t buffer) noexcept {
  return buffers_offset + kSampleHeadBytes + buffer * kSampleBufferBytes;
}

/// The system clock that stamps samples of a process whose ring has this clock (clockid_t).
constexpr int sampled_clock(ClockKind ring_clock) noexcept {
  constexpr int kMonotonic = 1, kMonotonicRaw = 4;  // of Linux
  return ring_clock == ClockKind::monotonic ? kMonotonic : kMonotonicRaw;
}

}  // namespace meridian
