// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of a program that was compiled with -finstrument-functions: each is a region of the level `function`.

#include <atomic>
#include <cstdint>

#include "include/meridian/user_abi.h"

namespace meridian {

/// What is known of an instrumented function. Lives as long as the process.
struct InstrumentedFunction {
  std::atomic<const void*> code{nullptr};           ///< null: a free entry
  std::atomic<const meridian_gate*> gate{nullptr};  ///< null: not recorded
  std::atomic<std::uint32_t> calls{0};              ///< those that were timed
  std::atomic<std::uint32_t> short_calls{0};        ///< of these, those under kShortNs
};

inline constexpr std::size_t kMostFunctions = std::size_t{1} << 15;  ///< as many as there are definitions
extern InstrumentedFunction g_functions[kMostFunctions];

/// The entry of a function that is called for the first time, with its region; null: not now, or there are too many.
[[gnu::cold, gnu::noinline]] InstrumentedFunction* add_function(const void* code) noexcept;
/// After the last timed call: records the function no more if its calls are short. `called`: its calls.
[[gnu::cold, gnu::noinline]] void judge_function(InstrumentedFunction& function) noexcept;
/// Calls that are timed before that. 0: functions are never judged.
extern std::atomic<std::uint32_t> g_timed_calls;
inline constexpr std::int64_t kShortNs = 1000;
/// The same in ticks; 0: not known yet, as the rate of the clock.
extern std::atomic<std::uint64_t> g_short_ticks;
[[gnu::cold, gnu::noinline]] void find_short_ticks() noexcept;
/// A function begins inside of too many others.
[[gnu::cold, gnu::noinline]] void note_deep_function() noexcept;

}  // namespace meridian
