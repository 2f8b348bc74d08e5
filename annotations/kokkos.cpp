// SPDX-License-Identifier: Apache-2.0
// Kokkos Tools: Kokkos loads the library that KOKKOS_TOOLS_LIBS names, and calls these functions by name. Kernels, fences, deep copies
// and regions of the program become regions; an event becomes a marker. Names and parameters: "Kokkos Tools", chapter Callbacks, of the
// Kokkos documentation.

#include <atomic>
#include <cstdint>

#include "annotations/regions.hpp"

namespace {

using namespace meridian::annotations;

constexpr const char* kKokkosLevel = "kokkos";
constexpr std::uint32_t kMostSections = 1024;

/// A name of a memory space, which Kokkos passes by value.
struct SpaceHandle {
  char name[64];
};

/// Requests of a tool to Kokkos: one flag, and reserved bytes.
struct ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

/// Sections may overlap, so each has its own gate. They are never reused: a destroyed one keeps its number.
constinit std::atomic<const meridian_gate*> g_sections[kMostSections]{};
constinit std::atomic<std::uint32_t> g_section_count{0};

/// The kernel's number is its gate: end_kernel() needs nothing else.
void begin_kernel(const char* name, std::uint64_t* kernel) noexcept {
  const meridian_gate* const gate = gate_of(MERIDIAN_KIND_REGION, kKokkosLevel, name);
  const bool is_on = gate != nullptr && __atomic_load_n(&gate->on, __ATOMIC_RELAXED) != 0;
  if (kernel != nullptr) *kernel = is_on ? reinterpret_cast<std::uintptr_t>(gate) : 0;
  if (is_on && kernel != nullptr) gate->record(gate, MERIDIAN_BEGINS, nullptr);
}

void end_kernel(std::uint64_t kernel) noexcept {
  const auto* const gate = reinterpret_cast<const meridian_gate*>(static_cast<std::uintptr_t>(kernel));
  if (gate != nullptr) gate->record(gate, MERIDIAN_ENDS, nullptr);
}

const meridian_gate* section(std::uint32_t number) noexcept {
  return number < kMostSections ? g_sections[number].load(std::memory_order_acquire) : nullptr;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

/// Without this answer Kokkos would wait for the device after each kernel.
void kokkosp_request_tool_settings(std::uint32_t, ToolSettings* settings) { settings->requires_global_fencing = false; }

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {}
void kokkosp_finalize_library() {}

void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* kernel) { begin_kernel(name, kernel); }
void kokkosp_end_parallel_for(std::uint64_t kernel) { end_kernel(kernel); }
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t, std::uint64_t* kernel) {
  begin_kernel(name, kernel);
}
void kokkosp_end_parallel_reduce(std::uint64_t kernel) { end_kernel(kernel); }
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t, std::uint64_t* kernel) { begin_kernel(name, kernel); }
void kokkosp_end_parallel_scan(std::uint64_t kernel) { end_kernel(kernel); }
void kokkosp_begin_fence(const char* name, std::uint32_t, std::uint64_t* fence) { begin_kernel(name, fence); }
void kokkosp_end_fence(std::uint64_t fence) { end_kernel(fence); }

void kokkosp_push_profile_region(const char* name) { push(kKokkosLevel, name); }
void kokkosp_pop_profile_region() { pop(); }

void kokkosp_begin_deep_copy(SpaceHandle, const char*, const void*, SpaceHandle, const char*, const void*,
                             std::uint64_t) {
  push(kKokkosLevel, "Kokkos::deep_copy");
}
void kokkosp_end_deep_copy() { pop(); }

void kokkosp_create_profile_section(const char* name, std::uint32_t* number) {
  *number = g_section_count.fetch_add(1, std::memory_order_relaxed);
  if (*number < kMostSections)
    g_sections[*number].store(gate_of(MERIDIAN_KIND_REGION, kKokkosLevel, name), std::memory_order_release);
}
void kokkosp_start_profile_section(std::uint32_t number) { record(section(number), MERIDIAN_BEGINS); }
void kokkosp_stop_profile_section(std::uint32_t number) { record(section(number), MERIDIAN_ENDS); }
void kokkosp_destroy_profile_section(std::uint32_t) {}

void kokkosp_profile_event(const char* name) { mark(kKokkosLevel, name); }

#pragma GCC visibility pop
}
