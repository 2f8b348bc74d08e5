// hot
// SPDX-License-Identifier: Apache-2.0
// What -finstrument-functions makes a program call. libc has functions of these names, which do nothing.

#include "pmpi/process/clock.hpp"
#include "pmpi/user/functions.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kMostDepth = 256;

/// A function that has begun. One whose begin was recorded also ends in the trace, even if it is recorded no more meanwhile.
struct Frame {
  const void* code;
  InstrumentedFunction* function;
  const meridian_gate* gate;  ///< null: the begin was not recorded
  std::uint64_t begin_ticks;  ///< 0: the call is not timed
};
/// A signal handler that interrupts pushes above, and leaves what is below as it was.
thread_local constinit Frame t_frames[kMostDepth]{};
thread_local constinit std::uint32_t t_depth = 0;  ///< may be more than there are frames

[[gnu::always_inline]] inline InstrumentedFunction* find(const void* code) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  std::size_t place = (address >> 4 ^ address >> 19) % kMostFunctions;
  for (;; place = (place + 1) % kMostFunctions) {
    const void* const there = g_functions[place].code.load(std::memory_order_acquire);
    if (there == code) [[likely]]
      return &g_functions[place];
    if (there == nullptr) return add_function(code);
  }
}

}  // namespace
}  // namespace meridian

extern "C" {

[[gnu::visibility("default")]] void __cyg_profile_func_enter(void* code, void*) noexcept {
  using namespace meridian;
  const std::uint32_t depth = t_depth++;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (depth >= kMostDepth) [[unlikely]]
    return note_deep_function();
  Frame& frame = t_frames[depth];
  frame = {code, nullptr, nullptr, 0};
  InstrumentedFunction* const function = find(code);
  if (function == nullptr) [[unlikely]]
    return;
  const meridian_gate* const gate = function->gate.load(std::memory_order_relaxed);
  if (gate == nullptr || __atomic_load_n(&gate->on, __ATOMIC_RELAXED) == 0) return;
  frame.function = function;
  frame.gate = gate;
  if (function->calls.load(std::memory_order_relaxed) < g_timed_calls.load(std::memory_order_relaxed))
    frame.begin_ticks = read_ticks();
  gate->record(gate, MERIDIAN_BEGINS, nullptr);
}

[[gnu::visibility("default")]] void __cyg_profile_func_exit(void* code, void*) noexcept {
  using namespace meridian;
  std::uint32_t depth = t_depth;
  if (depth == 0) return;  // it began before the tracer was there
  if (depth > kMostDepth) {
    t_depth = depth - 1;
    return;
  }
  // Functions above it were left by longjmp(): the region that ends now ends theirs, too.
  while (t_frames[depth - 1].code != code) [[unlikely]] if (--depth == 0) return;
  const Frame frame = t_frames[depth - 1];
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t_depth = depth - 1;
  if (frame.gate == nullptr) return;
  frame.gate->record(frame.gate, MERIDIAN_ENDS, nullptr);
  if (frame.begin_ticks == 0) return;
  const std::uint64_t most = g_short_ticks.load(std::memory_order_relaxed);
  if (most == 0) return find_short_ticks();
  if (read_ticks() - frame.begin_ticks < most) frame.function->short_calls.fetch_add(1, std::memory_order_relaxed);
  if (frame.function->calls.fetch_add(1, std::memory_order_relaxed) + 1 ==
      g_timed_calls.load(std::memory_order_relaxed))
    judge_function(*frame.function);
}

}  // extern "C"
