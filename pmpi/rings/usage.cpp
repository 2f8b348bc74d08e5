// SPDX-License-Identifier: Apache-2.0
#include "pmpi/rings/usage.hpp"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "pmpi/process/clock.hpp"
#include "pmpi/process/read_beginning.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {
namespace {

std::atomic<bool> g_is_recorded{false};             // between the begin and the end of a span
std::atomic<std::uint64_t> g_ready_us_of_ended{0};  // of threads that have ended

void emit_usage(const Usage& usage) noexcept {
  const std::uint64_t now = read_ticks();
  emit(Payload::usage, words_of<RecordHead> + words_of<Usage>, now, now,
       [&](std::uint64_t* body) { *reinterpret_cast<Usage*>(body) = usage; });
}

Usage ask(int who, UsageKind kind) noexcept {
  rusage used{};
  getrusage(static_cast<__rusage_who>(who), &used);
  const auto microseconds = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
  };
  Usage usage;
  usage.kind = static_cast<std::uint32_t>(kind);
  usage.user_us = microseconds(used.ru_utime);
  usage.system_us = microseconds(used.ru_stime);
  usage.minor_faults = static_cast<std::uint64_t>(used.ru_minflt);
  usage.major_faults = static_cast<std::uint64_t>(used.ru_majflt);
  usage.voluntary_switches = static_cast<std::uint64_t>(used.ru_nvcsw);
  usage.involuntary_switches = static_cast<std::uint64_t>(used.ru_nivcsw);
  if (who == RUSAGE_SELF) usage.high_water_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  return usage;
}

/// The number after `label` in the text of a /proc file; 0 if it is missing.
std::uint64_t number_after(const char* text, const char* label) noexcept {
  const char* at = strstr(text, label);
  if (at == nullptr) return 0;
  at += strlen(label);
  while (*at == ' ' || *at == '\t') ++at;
  std::uint64_t number = 0;
  for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  return number;
}

/// The time that a thread of this process was ready to run and had no processor; 0 if the kernel does not count it.
std::uint64_t ready_us_of(std::int32_t kernel_tid) noexcept {
  char path[64];
  char text[128];
  snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", kernel_tid);
  if (read_beginning(path, text, sizeof text) == 0) return 0;
  return number_after(text, " ") / 1000;  // the second number, in nanoseconds
}

/// Reads the resource usage of another thread of this process. False: the thread has ended.
bool ask_thread(std::int32_t kernel_tid, Usage& usage) noexcept {
  char path[64];
  char text[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", kernel_tid);
  if (read_beginning(path, text, sizeof text) == 0) return false;
  const char* field = strrchr(text, ')');  // the name may contain blanks and parentheses
  std::uint64_t fields[16] = {};
  for (int i = 2; field != nullptr && i < 16; ++i) {
    fields[i] = number_after(field, " ");
    field = strchr(field + 1, ' ');
  }
  usage.minor_faults = fields[9];
  usage.major_faults = fields[11];
  // The total time in nanoseconds, its parts in clock ticks.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(kernel_tid) << 3) | 6u);
  const std::int64_t total_ns = system_clock_ns(clock);
  if (total_ns == 0) return false;
  const std::uint64_t total_us = static_cast<std::uint64_t>(total_ns) / 1000;
  const std::uint64_t tick_us = 1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  usage.system_us = fields[14] * tick_us < total_us ? fields[14] * tick_us : total_us;
  usage.user_us = total_us - usage.system_us;
  snprintf(path, sizeof path, "/proc/self/task/%d/status", kernel_tid);
  if (read_beginning(path, text, sizeof text) == 0) return false;
  usage.voluntary_switches = number_after(text, "\nvoluntary_ctxt_switches:");
  usage.involuntary_switches = number_after(text, "\nnonvoluntary_ctxt_switches:");
  return true;
}

/// Of this thread.
std::uint64_t own_ready_us() noexcept { return ready_us_of(static_cast<std::int32_t>(syscall(SYS_gettid))); }

/// Calls act(slot) for the other threads of this process that have a ring.
template <class Act>
void for_other_threads(Act&& act) noexcept {
  for (std::uint32_t i = 0; i < g_session.ring->slot_count; ++i) {
    RingSlot& slot = g_session.slots[i];
    if (&slot != t_state.slot && slot.state.load(std::memory_order_acquire) == SlotState::active && slot.kernel_tid > 0)
      act(slot);
  }
}

void store(Usage usage) noexcept {
  if (t_state.slot == nullptr) return;
  usage.thread = t_state.slot->thread;
  emit_usage(usage);
}

}  // namespace

void store_thread_usage(UsageKind kind) noexcept {
  Usage usage = ask(RUSAGE_THREAD, kind);
  if (kind == UsageKind::thread_end) {
    usage.ready_us = own_ready_us();
    g_ready_us_of_ended.fetch_add(usage.ready_us, std::memory_order_relaxed);
  }
  store(usage);
}

void store_process_usage(UsageKind kind) noexcept {
  if (g_session.ring == nullptr) return;
  Usage usage = ask(RUSAGE_SELF, kind);
  const bool is_begin = kind == UsageKind::process_begin;
  if (g_is_recorded.exchange(is_begin) || is_begin) {
    usage.ready_us = own_ready_us() + g_ready_us_of_ended.load(std::memory_order_relaxed);
    for_other_threads([&](const RingSlot& slot) { usage.ready_us += ready_us_of(slot.kernel_tid); });
  }
  store(usage);
}

void note_recording(bool is_on) noexcept {
  if (g_is_recorded.load(std::memory_order_relaxed) == is_on) return;
  store_process_usage(is_on ? UsageKind::process_begin : UsageKind::process_end);
}

void store_usage_of_all() noexcept {
  if (g_session.ring == nullptr) return;
  for_other_threads([](const RingSlot& slot) {
    Usage usage;
    usage.kind = static_cast<std::uint32_t>(UsageKind::thread_end);
    usage.thread = slot.thread;
    if (!ask_thread(slot.kernel_tid, usage)) return;
    usage.ready_us = ready_us_of(slot.kernel_tid);
    emit_usage(usage);
  });
  Usage own = ask(RUSAGE_THREAD, UsageKind::thread_end);
  own.ready_us = own_ready_us();
  store(own);
  store_process_usage(UsageKind::process_end);
}

}  // namespace meridian
