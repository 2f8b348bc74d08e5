// SPDX-License-Identifier: Apache-2.0
// Choosing, starting and stopping counters. Cold.

#include "pmpi/rings/counting.hpp"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "papi/counter_plan.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {
namespace {

CounterPlan g_plan;
std::atomic<bool> g_has_complained{false};
std::atomic<std::uint64_t> g_reading_ticks{0};

/// Before the thread's first record: the readings would otherwise be in the counters of what the program does.
void measure_reading(ThreadCounters& counters) noexcept {
  constexpr int kRounds = 16;
  constexpr std::uint64_t kReadings = 16;
  std::uint64_t quickest = ~std::uint64_t{0};  // others were interrupted, or met cold caches
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t begin = read_ticks();
    for (std::uint64_t i = 0; i < kReadings; ++i) read_counters(counters, counters.at_enter);
    const std::uint64_t ticks = read_ticks() - begin;
    if (ticks < quickest) quickest = ticks;
  }
  g_reading_ticks.store(quickest / kReadings, std::memory_order_relaxed);
}

std::uint32_t every_call() noexcept {
  return static_cast<std::uint32_t>(g_session.options.number(OptionId::counters_every));
}

}  // namespace

bool choose_counters(bool report) noexcept {
  plan_counters(g_session.options.path(OptionId::counters), true, g_plan,
                g_session.options.is_on(OptionId::counters_multiplex));
  if (!g_plan.has_problems()) return true;
  if (report) {
    char text[1024];
    describe_problems(g_plan, text, sizeof text);
    say("MERIDIAN_COUNTERS: %s", text);
  }
  return !g_session.options.is_on(OptionId::strict);
}

bool is_counting() noexcept { return g_plan.count != 0; }

std::uint64_t reading_ticks() noexcept { return g_reading_ticks.load(std::memory_order_relaxed); }

void attach_counters(ThreadState& thread) noexcept {
  if (g_plan.count == 0) return;
  void* const memory =
      mmap(nullptr, sizeof(ThreadCounters), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  const char* why = "no memory";
  if (memory != MAP_FAILED) {
    auto* const counters = static_cast<ThreadCounters*>(memory);
    if (start_counters(g_plan, *counters, why)) {
      if (g_reading_ticks.load(std::memory_order_relaxed) == 0) measure_reading(*counters);
      counters->every = counters->skipped = every_call();  // the first call is counted
      thread.counters = thread.all_counters = counters;
      return;
    }
    munmap(memory, sizeof(ThreadCounters));
  }
  emit_text("counters.problem", why, strlen(why), 0);
  if (!g_has_complained.exchange(true)) say("MERIDIAN_COUNTERS: cannot count in a thread: %s", why);
}

void detach_counters(ThreadState& thread) noexcept {
  if (thread.all_counters == nullptr) return;
  stop_counters(g_plan, *thread.all_counters);
  munmap(thread.all_counters, sizeof(ThreadCounters));
  thread.counters = thread.all_counters = nullptr;
}

void store_counter_names() noexcept {
  if (g_plan.count == 0) return;
  char text[kMaxCounters * (kCounterNameBytes + 1)];
  list_counters(g_plan, false, text, sizeof text);
  emit_text("counters", text, strlen(text), 0);
  list_counters(g_plan, true, text, sizeof text);
  emit_text("counters.units", text, strlen(text), 0);
  if (g_plan.has_estimates()) {
    list_estimates(g_plan, text, sizeof text);
    emit_text("counters.estimates", text, strlen(text), 0);
  }
  if (const std::uint32_t every = every_call(); every != 1) {
    const int length = snprintf(text, sizeof text, "%u", every);
    emit_text("counters.every", text, static_cast<std::size_t>(length), 0);
  }
  if (!g_plan.has_problems()) return;
  describe_problems(g_plan, text, sizeof text);
  emit_text("counters.problem", text, strlen(text), 0);
}

}  // namespace meridian
