// SPDX-License-Identifier: Apache-2.0
#include "counted_heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

constexpr std::uint64_t kHeader = 8;  // of each block of glibc's
std::uint64_t in_use = 0, before = 0, most = 0;

void* count(void* block) {
  if (block == nullptr) throw std::bad_alloc{};
  in_use += malloc_usable_size(block) + kHeader;
  most = std::max(most, in_use);
  return block;
}

void release(void* block) noexcept {
  if (block != nullptr) in_use -= malloc_usable_size(block) + kHeader;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return count(std::malloc(std::max<std::size_t>(size, 1))); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return count(std::aligned_alloc(unit, (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }

namespace meridian::test {

void begin_heap_peak() { before = most = in_use; }

std::uint64_t heap_peak() { return most - before; }

}  // namespace meridian::test
