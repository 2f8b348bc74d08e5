// SPDX-License-Identifier: Apache-2.0
#pragma once

// The counter of the processor, the clock that the tracer chooses where it is safe: the time stamp counter of x86-64, the virtual
// counter of the generic timer of AArch64 (Arm ARM, D11.2).

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace meridian {

#if defined(__x86_64__)
inline constexpr bool kHasProcessorCounter = true;
inline constexpr double kSlowestCounterGhz = 0.1;
#elif defined(__aarch64__)
inline constexpr bool kHasProcessorCounter = true;
inline constexpr double kSlowestCounterGhz = 0.001;
#else
inline constexpr bool kHasProcessorCounter = false;
inline constexpr double kSlowestCounterGhz = 0;
#endif

/// 0 where there is none. May be read ahead of earlier loads.
[[gnu::always_inline]] inline std::uint64_t read_processor_counter() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

/// Ends when all earlier loads have: the counter is not read ahead of them.
[[gnu::always_inline]] inline void wait_for_loads() noexcept {
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace meridian
