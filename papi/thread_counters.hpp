// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The counters of one thread. Reading them is part of the application's calls; starting and stopping them is cold.

#include <sys/resource.h>

#include <cstdint>

#include "trace/model/event.hpp"

namespace meridian {

struct CounterPlan;

struct ThreadCounters {
  std::uint32_t count = 0;  ///< values per reading
  bool has_failed = false;  ///< a set could not be read: nothing is counted on this thread from then on
  std::uint8_t sets = 0;
  std::uint8_t rusage = 0;       ///< number of values from rusage, at the end
  std::uint8_t first[4] = {};    ///< index of each set's first value
  std::uint8_t field[8] = {};    ///< RusageField
  std::uint8_t sde = 0;          ///< number of values from libsde, before those of rusage
  std::uint16_t registered = 0;  ///< bit i: the program has registered the i-th event of libsde
  int set[4] = {};               ///< PAPI's event sets
  std::uint32_t sde_code[kMaxCounters] = {};
  int (*read_sde)(std::uint32_t code, long long* value) = nullptr;
  int (*read_set)(int set, long long* values) = nullptr;
  std::uint32_t every = 1;    ///< calls for one that is counted; 0: none is
  std::uint32_t skipped = 0;  ///< calls since then
  bool is_read = false;       ///< the call in progress, or the last one, is counted
  long long at_enter[kMaxCounters] = {};
  long long at_leave[kMaxCounters] = {};
};

/// Reads rusage of the calling thread, in the order of RusageField.
[[gnu::always_inline]] inline void read_rusage(long long (&values)[6]) noexcept {
  rusage used;
  getrusage(RUSAGE_THREAD, &used);
  values[0] = used.ru_minflt;
  values[1] = used.ru_majflt;
  values[2] = used.ru_nvcsw;
  values[3] = used.ru_nivcsw;
  values[4] = used.ru_utime.tv_sec * 1'000'000LL + used.ru_utime.tv_usec;
  values[5] = used.ru_stime.tv_sec * 1'000'000LL + used.ru_stime.tv_usec;
}

/// Reads all counters of the calling thread. PAPI reads software-defined events in user space; events of the PMU and
/// rusage take a system call, which the user chose.
[[gnu::noinline]] inline void read_counters(ThreadCounters& counters, long long* values) noexcept {
  for (std::uint8_t s = 0; s < counters.sets; ++s)
    if (counters.read_set(counters.set[s], values + counters.first[s]) != 0) [[unlikely]]
      counters.has_failed = true;
  for (std::uint8_t i = 0; i < counters.sde; ++i) {
    long long& value = values[counters.count - counters.rusage - counters.sde + i];
    if (counters.read_sde(counters.sde_code[i], &value) != 0) [[unlikely]]
      counters.has_failed = true;
    const auto bit = static_cast<std::uint16_t>(1u << i);
    if ((counters.registered & bit) == 0) [[unlikely]] {
      if (value == -1) {  // libsde's value for an event that does not exist yet
        value = 0;
      } else {
        counters.registered = static_cast<std::uint16_t>(counters.registered | bit);
      }
    }
  }
  if (counters.rusage == 0) return;
  long long used[6];
  read_rusage(used);
  for (std::uint8_t i = 0; i < counters.rusage; ++i)
    values[counters.count - counters.rusage + i] = used[counters.field[i]];
}

/// Reads at the enter of a call if it is one of those that are counted.
[[gnu::noinline]] inline void read_at_enter(ThreadCounters& counters) noexcept {
  counters.is_read = counters.every != 0 && ++counters.skipped >= counters.every;
  if (!counters.is_read) return;
  counters.skipped = 0;
  read_counters(counters, counters.at_enter);
}

/// Reads at its leave.
[[gnu::noinline]] inline void read_at_leave(ThreadCounters& counters) noexcept {
  if (counters.is_read) read_counters(counters, counters.at_leave);
}

/// Reads once for both, in any case.
[[gnu::noinline]] inline void read_at_point(ThreadCounters& counters) noexcept {
  counters.is_read = true;
  read_counters(counters, counters.at_enter);
  for (std::uint32_t i = 0; i < counters.count; ++i) counters.at_leave[i] = counters.at_enter[i];
}

/// Starts the plan's counters on the calling thread. False: they cannot be started here; `why` gives the reason.
[[gnu::cold]] bool start_counters(const CounterPlan& plan, ThreadCounters& counters, const char*& why) noexcept;
[[gnu::cold]] void stop_counters(const CounterPlan& plan, ThreadCounters& counters) noexcept;

}  // namespace meridian
