// SPDX-License-Identifier: Apache-2.0
// Finds where a program's own code begins on its stack.

#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "pmpi/stacks/stacks.hpp"
#include "pmpi/stacks/unwind_image.hpp"

namespace meridian {
namespace {

constexpr std::uintptr_t kEntryBytes = 256;  // size of the code that the linker adds at the entry point

}  // namespace

std::uint32_t without_start(Stacks& stacks, std::uint32_t count, bool is_lost) noexcept {
  const std::uintptr_t linker = find_loaded_file(reinterpret_cast<std::uintptr_t>(&_r_debug));
  const std::uintptr_t libc = find_loaded_file(reinterpret_cast<std::uintptr_t>(&qsort));
  const std::uintptr_t tracer = stacks.tracer != 0 ? find_loaded_file(stacks.tracer) : 0;
  const auto is_library = [&](std::uintptr_t address) {
    const std::uintptr_t file = find_loaded_file(address - 1);
    // The frame of a signal handler is also above C library code, and the walk ends there as lost.
    return file != 0 && (file == linker || (!is_lost && (file == libc || file == tracer)));
  };
  std::uint32_t left = count;
  if (!is_lost && left > 1 && stacks.addresses[left - 1] - getauxval(AT_ENTRY) < kEntryBytes) --left;
  while (left > 1 && is_library(stacks.addresses[left - 1])) --left;
  if (left < count && stacks.start_count < Stacks::kMaxStarts)
    stacks.starts[stacks.start_count++] = stacks.addresses[left];
  return left;
}

}  // namespace meridian
