// SPDX-License-Identifier: Apache-2.0
#include "pmpi/libraries/library_objects.hpp"

#include <link.h>
#include <string.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pmpi/libraries/file_name.hpp"

namespace meridian {
namespace {

struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
};
constexpr std::size_t kMostRanges = 128;
Range g_ranges[kMostRanges];
constinit std::atomic<std::size_t> g_count{0};
// Most queries are for the program's own code, stack and heap, which are outside all these objects, or equal the last
// query.
constinit std::atomic<std::uintptr_t> g_lowest{UINTPTR_MAX};
constinit std::atomic<std::uintptr_t> g_highest{0};
constinit std::atomic<std::size_t> g_last{0};
// Files with MPI calls that are not the program's: the tracer's, and the one with the noted address.
constinit std::atomic<std::uintptr_t> g_noted{0};
struct AtomicRange {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};
AtomicRange g_around[2];

constexpr std::string_view kPrefixes[] = {
#define MERIDIAN_LIBRARY(prefix) prefix,
#include "pmpi/libraries/library_objects.def"
};

bool is_library(const char* path) noexcept {
  const char* const name = file_name(path);
  for (const std::string_view prefix : kPrefixes)
    if (strncmp(name, prefix.data(), prefix.size()) == 0) return true;
  return false;
}

int add_object(dl_phdr_info* object, std::size_t, void*) noexcept {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t at = object->dlpi_addr + part.p_vaddr;
    begin = at < begin ? at : begin;
    end = at + part.p_memsz > end ? at + part.p_memsz : end;
  }
  const std::uintptr_t own[] = {reinterpret_cast<std::uintptr_t>(&add_object), g_noted.load(std::memory_order_relaxed)};
  for (std::size_t i = 0; i < 2; ++i) {
    if (own[i] < begin || own[i] >= end) continue;
    g_around[i].begin.store(begin, std::memory_order_relaxed);
    g_around[i].end.store(end, std::memory_order_relaxed);
  }
  if (object->dlpi_name == nullptr || !is_library(object->dlpi_name)) return 0;
  const std::size_t count = g_count.load(std::memory_order_relaxed);
  if (count == kMostRanges) return 0;
  if (begin >= end || is_in_library(reinterpret_cast<const void*>(begin))) return 0;
  g_ranges[count] = {begin, end};
  if (begin < g_lowest.load(std::memory_order_relaxed)) g_lowest.store(begin, std::memory_order_relaxed);
  if (end > g_highest.load(std::memory_order_relaxed)) g_highest.store(end, std::memory_order_relaxed);
  g_count.store(count + 1, std::memory_order_release);
  return 0;
}

}  // namespace

void find_library_objects() noexcept { dl_iterate_phdr(&add_object, nullptr); }

void note_library_code(const void* address) noexcept {
  g_noted.store(reinterpret_cast<std::uintptr_t>(address), std::memory_order_relaxed);
}

bool is_around_program(const volatile void* place) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  for (const AtomicRange& range : g_around)
    if (address >= range.begin.load(std::memory_order_relaxed) && address < range.end.load(std::memory_order_relaxed))
      return true;
  return false;
}

bool is_in_library(const volatile void* place) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  const std::size_t count = g_count.load(std::memory_order_acquire);
  if (address < g_lowest.load(std::memory_order_relaxed) || address >= g_highest.load(std::memory_order_relaxed))
    return false;
  const auto holds = [address](std::size_t i) { return address >= g_ranges[i].begin && address < g_ranges[i].end; };
  const std::size_t last = g_last.load(std::memory_order_relaxed);
  if (last < count && holds(last)) return true;
  for (std::size_t i = 0; i < count; ++i) {
    if (!holds(i)) continue;
    g_last.store(i, std::memory_order_relaxed);
    return true;
  }
  return false;
}

}  // namespace meridian
