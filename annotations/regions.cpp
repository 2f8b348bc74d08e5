// SPDX-License-Identifier: Apache-2.0
#include "annotations/regions.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace meridian::annotations {
namespace {

constexpr std::size_t kMostNameBytes = 256;  ///< types of C++ as names are longer than anybody reads
constexpr int kMostOpen = 128;               ///< deeper regions are counted, not recorded

/// The regions that a thread has pushed; null: one that is not recorded.
struct OpenRegions {
  const meridian_gate* gates[kMostOpen];
  int depth = 0;
};
constinit thread_local OpenRegions t_open{};

/// The tracer is loaded before any program's code runs, so one look is enough.
const meridian_user_api* tracer() noexcept {
  static constinit std::atomic<const meridian_user_api*> found{nullptr};
  static constinit std::atomic<bool> has_looked{false};
  if (!has_looked.load(std::memory_order_acquire)) {
    found.store(static_cast<const meridian_user_api*>(dlsym(RTLD_DEFAULT, MERIDIAN_USER_SYMBOL)),
                std::memory_order_relaxed);
    has_looked.store(true, std::memory_order_release);
  }
  return found.load(std::memory_order_relaxed);
}

}  // namespace

const meridian_gate* gate_of(int kind, const char* level, const char* name) noexcept {
  const meridian_user_api* const api = tracer();
  if (api == nullptr || name == nullptr) return nullptr;
  char kept[kMostNameBytes + 1];
  if (strnlen(name, sizeof kept) > kMostNameBytes) {
    std::memcpy(kept, name, kMostNameBytes);
    std::size_t end = kMostNameBytes;  // not inside a character of several bytes
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
    kept[end] = 0;
    name = kept;
  }
  return api->define(kind, level, name);
}

void record(const meridian_gate* gate, unsigned what) noexcept {
  if (gate != nullptr && __atomic_load_n(&gate->on, __ATOMIC_RELAXED) != 0) gate->record(gate, what, nullptr);
}

void push(const char* level, const char* name) noexcept {
  const int depth = t_open.depth++;
  if (depth >= kMostOpen) return;
  const meridian_gate* const gate = gate_of(MERIDIAN_KIND_REGION, level, name);
  const bool is_on = gate != nullptr && __atomic_load_n(&gate->on, __ATOMIC_RELAXED) != 0;
  t_open.gates[depth] = is_on ? gate : nullptr;
  if (is_on) gate->record(gate, MERIDIAN_BEGINS, nullptr);
}

void pop() noexcept {
  if (t_open.depth == 0) return;
  const int depth = --t_open.depth;
  // A region that has begun in the trace also ends in it, even if recording was switched off in between.
  if (depth < kMostOpen && t_open.gates[depth] != nullptr)
    t_open.gates[depth]->record(t_open.gates[depth], MERIDIAN_ENDS, nullptr);
}

void mark(const char* level, const char* name) noexcept {
  record(gate_of(MERIDIAN_KIND_MARKER, level, name), MERIDIAN_HAPPENED);
}

void switch_recording(bool is_on) noexcept {
  if (const meridian_user_api* const api = tracer()) api->set(nullptr, is_on ? 1 : 0);
}

}  // namespace meridian::annotations
