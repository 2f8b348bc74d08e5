// SPDX-License-Identifier: Apache-2.0
#include "pmpi/rings/nested.hpp"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <new>

#include "pmpi/libraries/library_objects.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/producer.hpp"

namespace meridian {
namespace {

/// Whether the instruction before this address in the MPI library calls a function through a pointer to it.
bool is_behind_pointer_call(std::uintptr_t address) noexcept {
#if defined(__x86_64__)
  const auto* const next = reinterpret_cast<const unsigned char*>(address);
  constexpr unsigned char kCallRelative = 0xe8, kCallIndirect = 0xff;
  if (next[-5] == kCallRelative) {
    std::int32_t distance = 0;
    memcpy(&distance, next - 4, sizeof distance);
    if (is_in_library(next + distance)) return false;
  }
  // call *register; *displacement(register), with and without an index. *displacement(%rip) reads the table of imported
  // functions: a direct call.
  const auto is_call = [&](int bytes, unsigned char mode, bool has_index) {
    if (next[-bytes] != kCallIndirect) return false;
    const unsigned char operand = next[1 - bytes];
    const bool is_rip = mode == 0x10 && (operand & 7) == 5;
    return (operand & 0xf8) == mode && !is_rip && (mode == 0xd0 || ((operand & 7) == 4) == has_index);
  };
  return is_call(2, 0xd0, false) || is_call(2, 0x10, false) || is_call(3, 0x10, true) || is_call(3, 0x50, false) ||
         is_call(4, 0x50, true) || is_call(6, 0x90, false) || is_call(7, 0x90, true);
#elif defined(__aarch64__)
  std::uint32_t instruction = 0;
  memcpy(&instruction, reinterpret_cast<const void*>(address - 4), sizeof instruction);
  return (instruction & 0xfffffc1f) == 0xd63f0000;  // blr
#else
  static_cast<void>(address);
  return false;
#endif
}

/// Whether a call inside another call is the program's, by its return address.
bool is_from_program(Nest* nest, std::uintptr_t address) noexcept {
  std::uintptr_t* const known = nest != nullptr ? &nest->callers[address / 4 % Nest::kKnownCallers] : nullptr;
  if (known != nullptr && *known == address) return true;
  const auto* const place = reinterpret_cast<const void*>(address);
  if (is_in_library(place)) return is_behind_pointer_call(address);
  if (is_around_program(place)) return false;
  find_library_objects();  // the library loads parts of itself when they are needed
  if (is_in_library(place)) return is_behind_pointer_call(address);
  if (known != nullptr) *known = address;
  return true;
}

Nest* nest_of(ThreadState& thread) noexcept {
  if (thread.nest != nullptr) return thread.nest;
  void* const memory = mmap(nullptr, sizeof(Nest), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return thread.nest = new (memory) Nest;
}

/// Makes the thread's state that of the next level.
void enter_level(ThreadState& thread, Nest& nest, std::uint32_t outer_thread) noexcept {
  Nest::Level& level = nest.levels[nest.depth];
  if (thread.counters != nullptr) {
    memcpy(level.at_enter, thread.counters->at_enter, sizeof level.at_enter);
    level.is_read = thread.counters->is_read;
  }
  level.outer = thread;
  level.outer.is_kept = false;  // no object of class KeptRecord lives as long as the call
  level.inner.is_kept = thread.is_kept;
  level.inner.passed = thread.passed;
  level.inner.nest = &nest;
  level.inner.inside = outer_thread;
  thread = level.inner;
  ++nest.depth;
}

/// The inverse: all but what both levels share.
void leave_level(ThreadState& thread, Nest& nest) noexcept {
  Nest::Level& level = nest.levels[--nest.depth];
  std::uint64_t* const passed = thread.passed;
  level.inner = thread;
  thread = level.outer;
  thread.passed = passed;
  if (thread.counters != nullptr) {
    memcpy(thread.counters->at_enter, level.at_enter, sizeof level.at_enter);
    thread.counters->is_read = level.is_read;
  }
}

}  // namespace

std::uint64_t* make_nested_room(ThreadState& thread, std::uint64_t words, const void* frame, bool is_matched) noexcept {
  const int saved_errno = errno;
  std::uint64_t* at = nullptr;
  // In the tracer's own work, only a signal handler can call MPI; MPI_Finalize, too, counts as that.
  const bool is_interrupted = t_own.is_busy && !t_own.is_finalizing;
  if (is_inside_call() && !is_interrupted && is_from_program(thread.nest, return_address(frame))) {
    const BusyThread busy;
    Nest* const nest = nest_of(thread);
    if (nest == nullptr) {
      count_loss(Loss::no_memory);
    } else if (nest->depth == Nest::kMostLevels) {
      count_loss(Loss::nested_deep);
    } else {
      enter_level(thread, *nest, thread.slot != nullptr ? thread.slot->thread : kNoThread);
      at = make_room(thread, words, frame);
      if (at == nullptr) {
        if (is_matched) miss_call(thread);
        leave_level(thread, *nest);
      } else {
        thread.slot->asked.store(1, std::memory_order_relaxed);
      }
    }
  }
  errno = saved_errno;
  return at;
}

void leave_nested_call(ThreadState& thread) noexcept {
  if (thread.nest != nullptr && thread.nest->depth != 0) leave_level(thread, *thread.nest);
}

void look_after_call() noexcept {
  ThreadState& thread = t_state;
  if (thread.nest != nullptr && thread.nest->depth != 0) return leave_level(thread, *thread.nest);
  look_outside();
}

bool resume_call(ThreadState& thread, const std::uint64_t* at) noexcept {
  while (thread.cursor != at && thread.nest != nullptr && thread.nest->depth != 0) {
    if (is_inside_call()) abandon_call(thread);
    leave_level(thread, *thread.nest);
  }
  return thread.cursor == at && is_inside_call();
}

bool is_own_slot(const RingSlot& slot) noexcept {
  const ThreadState& thread = t_state;
  if (&slot == thread.slot) return true;
  if (thread.nest == nullptr) return false;
  for (std::uint32_t i = 0; i < Nest::kMostLevels; ++i) {
    const Nest::Level& level = thread.nest->levels[i];
    if (&slot == level.inner.slot || (i < thread.nest->depth && &slot == level.outer.slot)) return true;
  }
  return false;
}

void release_nest(ThreadState& thread, void (*release)(ThreadState& inner) noexcept) noexcept {
  Nest* const nest = thread.nest;
  if (nest == nullptr) return;
  while (nest->depth != 0) {
    if (is_inside_call() && g_session.state.load(std::memory_order_acquire) == SessionState::on) abandon_call(thread);
    leave_level(thread, *nest);
  }
  for (Nest::Level& level : nest->levels)
    if (level.inner.slot != nullptr) release(level.inner);
  thread.nest = nullptr;
  munmap(nest, sizeof(Nest));
}

}  // namespace meridian
