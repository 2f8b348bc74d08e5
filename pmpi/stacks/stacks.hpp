// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Call stacks (MERIDIAN_STACK), and lines of Python as the places of calls (MERIDIAN_PYTHON). Stacks are walked from frame to frame by rules that are looked up once for each return
// address, and stored as paths from the outermost frame in a tree, one for each thread. A record contains the node that
// the call was made from; new nodes are stored. Only make_stacks() allocates or locks.

#include <atomic>

#include "pmpi/rings/thread_state.hpp"
#include "pmpi/stacks/python_sites.hpp"
#include "trace/unwind/unwind_rule.hpp"

namespace meridian {

/// Maximum of MERIDIAN_STACK.
inline constexpr std::uint32_t kMaxStackDepth = 256;

struct Stacks {
  static constexpr std::uint32_t kRoom = 2 * kMaxStackDepth;
  static constexpr std::uint32_t kMaxStarts = 8;
  static constexpr std::uint32_t kRuleSlots = 1 << 12;
  static constexpr std::uint32_t kNodeSlots = 1 << 16;
  static constexpr std::uint32_t kMaxNodes = kNodeSlots / 4 * 3;
  struct Rule {
    std::uintptr_t return_address;
    UnwindRule rule;
  };
  struct Node {
    std::uintptr_t return_address;
    std::uint32_t parent;  ///< 0: the outermost known frame
    std::uint32_t id;      ///< from 1; 0: a free slot
  };
  std::uint32_t depth;    ///< most frames to walk; 0: only lines of Python, and all from `addresses` on has no memory
  std::uint32_t nodes;    ///< number of nodes
  std::uint32_t unloads;  ///< g_unloads when the rules were looked up
  bool is_busy;
  std::uint8_t start_count;
  std::uint8_t start_tries;           ///< unsuccessful walks to find them
  std::uintptr_t starts[kMaxStarts];  ///< return addresses into the code that calls the program and its threads, which
                                      ///< is not the program's
  std::uintptr_t tracer;              ///< an address in the tracer's code, which is not the program's either; 0: none
  std::uintptr_t low, high;           ///< the thread's own stack: nothing else is read
  PythonSites python;
  std::uintptr_t addresses[kRoom + 1];
  Rule rule_slots[kRuleSlots];
  Node node_slots[kNodeSlots];
};

inline constexpr std::uint64_t kStackSpread = 0x9e3779b97f4a7c15ULL;
/// The first index to search for an entry; `slots` is a power of two.
constexpr std::uint32_t stack_slot(std::uint64_t key, std::uint32_t slots) noexcept {
  return static_cast<std::uint32_t>(key * kStackSpread >> 40) & (slots - 1);
}

/// Incremented when files may have been unloaded: code addresses may have another meaning from then on.
extern constinit std::atomic<std::uint32_t> g_unloads;

/// Makes them for this thread; null: out of memory.
[[gnu::cold, gnu::noinline]] Stacks* make_stacks(std::uint32_t depth, std::uintptr_t tracer) noexcept;
[[gnu::cold, gnu::noinline]] void release_stacks(Stacks* stacks) noexcept;

/// For a stack that has been walked to its outermost frame: how many of the `count` addresses belong to the program,
/// without the C library's and the dynamic linker's frames before it. Remembers the boundary.
[[gnu::cold, gnu::noinline]] std::uint32_t without_start(Stacks& stacks, std::uint32_t count, bool is_lost) noexcept;

/// Stores the return addresses of the stack that contains `frame`, innermost first, in stacks.addresses: from `caller`
/// on (one of the first few) at most stacks.depth, then kStackDeeper or kStackLost unless these are all of the program.
/// Reads only [frame, stacks.high). Returns their number.
std::uint32_t walk_stack(Stacks& stacks, const void* frame, std::uint64_t caller) noexcept;

/// Called in a call that enter_call() has begun, whose wrapper has `frame` and returns to `caller`: sets thread.site to
/// the node of its stack, or to a line of Python; leaves it unchanged if there is no room for more, which is counted. New ones are
/// stored, so the position of the record, which needs `words`, may change: returns it. Null: no room, the call is not
/// begun.
[[gnu::noinline]] std::uint64_t* note_stack(ThreadState& thread, std::uint64_t words, const void* frame,
                                            std::uint64_t caller) noexcept;
[[gnu::always_inline]] inline std::uint64_t* note_stack(ThreadState& thread, std::uint64_t words,
                                                        const void* frame) noexcept {
  return note_stack(thread, words, frame, return_address(frame));
}

/// The place of a poll that has not begun, for a thread with `stacks`.
[[gnu::noinline]] std::uint64_t python_poll_address(ThreadState& thread, const void* frame) noexcept;

/// The address that polls from one place have in common.
[[gnu::always_inline]] inline std::uint64_t poll_address(ThreadState& thread, const void* frame) noexcept {
  if (thread.stacks != nullptr) [[unlikely]]
    return python_poll_address(thread, frame);
  return return_address(frame);
}

}  // namespace meridian
