// SPDX-License-Identifier: Apache-2.0
// Data that a thread needs to walk its call stack: memory for rules and nodes, and the bounds of the stack.

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmpi/stacks/stacks.hpp"

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): the dynamic linker's

namespace meridian {
namespace {

/// The kernel keeps more than this free below the end of a process's main stack.
constexpr std::uintptr_t kMainStackBytes = std::uintptr_t{64} << 20;

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// The mapping that contains the address, from /proc/self/maps ("BEGIN-END r... ..."); empty: none that is readable.
Mapping find_mapping(std::uintptr_t address) noexcept {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  Mapping range, found;
  enum { in_begin, in_end, in_rights, in_rest } part = in_begin;
  char piece[4096];
  for (ssize_t count; found.end == 0 && (count = read(file, piece, sizeof piece)) > 0;) {
    for (ssize_t i = 0; i < count; ++i) {
      const char c = piece[i];
      const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      const auto digit = static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      if (part == in_begin && is_digit) {
        range.begin = range.begin * 16 + digit;
      } else if (part == in_begin && c == '-') {
        part = in_end;
      } else if (part == in_end && is_digit) {
        range.end = range.end * 16 + digit;
      } else if (part == in_end && c == ' ') {
        part = in_rights;
      } else if (part == in_rights) {
        if (c == 'r' && address >= range.begin && address < range.end) found = range;
        part = in_rest;
      } else if (c == '\n') {
        range = {};
        part = in_begin;
      }
    }
  }
  close(file);
  return found;
}

std::size_t bytes_of(std::uint32_t depth) noexcept { return depth == 0 ? offsetof(Stacks, addresses) : sizeof(Stacks); }

}  // namespace

Stacks* make_stacks(std::uint32_t depth, std::uintptr_t tracer) noexcept {
  void* const memory =
      mmap(nullptr, bytes_of(depth), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const stacks = static_cast<Stacks*>(memory);  // zeros are the initial state
  stacks->depth = depth;
  stacks->tracer = tracer;
  if (depth == 0) return stacks;
  // glibc keeps a thread's descriptor at the upper end of its stack, even in memory that the program provided.
  const bool is_first = syscall(SYS_gettid) == getpid();
  const auto inside = is_first ? reinterpret_cast<std::uintptr_t>(__libc_stack_end) : std::uintptr_t{pthread_self()};
  const Mapping range = find_mapping(inside - 1);
  if (range.end == 0) return stacks;  // the depth of stacks is then 1
  stacks->low = is_first ? range.end - kMainStackBytes : range.begin;
  stacks->high = is_first ? range.end : inside & ~(sizeof(std::uintptr_t) - 1);
  return stacks;
}

void release_stacks(Stacks* stacks) noexcept {
  if (stacks != nullptr) munmap(stacks, bytes_of(stacks->depth));
}

}  // namespace meridian
