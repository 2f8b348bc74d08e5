// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Call stacks, when they are asked for (MERIDIAN_STACK): from frame to frame by rules that are looked up once for each
// return address, and from the outermost frame down a tree of which each thread has its own. A record says which node
// of it the call was made from; a node is stored when it is new. Nothing here allocates or locks but make_stacks().

#include <atomic>

#include "pmpi/rings/thread_state.hpp"
#include "pmpi/stacks/unwind_rule.hpp"

namespace meridian {

/// MERIDIAN_STACK goes no further.
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
    std::uint32_t parent;  ///< 0: the outermost that is known
    std::uint32_t id;      ///< from 1; 0: a free slot
  };
  std::uint32_t depth;    ///< frames that are looked at, at most
  std::uint32_t nodes;    ///< number of nodes
  std::uint32_t unloads;  ///< g_unloads when the rules were looked up
  bool is_busy;
  std::uint8_t start_count;
  std::uint8_t start_tries;           ///< unsuccessful walks to find them
  std::uintptr_t starts[kMaxStarts];  ///< where the program returns to when it ends, and its threads: not its own code
  std::uintptr_t tracer;              ///< an address in the tracer's code, which is not the program's either; 0: none
  std::uintptr_t low, high;           ///< the thread's own stack: nothing else is read
  std::uintptr_t addresses[kRoom + 1];
  Rule rule_slots[kRuleSlots];
  Node node_slots[kNodeSlots];
};

inline constexpr std::uint64_t kStackSpread = 0x9e3779b97f4a7c15ULL;
/// Where an entry is looked for first; `slots` is a power of two.
constexpr std::uint32_t stack_slot(std::uint64_t key, std::uint32_t slots) noexcept {
  return static_cast<std::uint32_t>(key * kStackSpread >> 40) & (slots - 1);
}

/// Incremented when files may have been unloaded: addresses of code may have another meaning from then on.
extern constinit std::atomic<std::uint32_t> g_unloads;

/// For this thread; null when there is no memory.
[[gnu::cold, gnu::noinline]] Stacks* make_stacks(std::uint32_t depth, std::uintptr_t tracer) noexcept;
[[gnu::cold, gnu::noinline]] void release_stacks(Stacks* stacks) noexcept;

/// Of a stack that has been walked to its beginning, how many of the `count` addresses are the program's: without what
/// the C library and the dynamic linker do before they call it. Remembers where that ends.
[[gnu::cold, gnu::noinline]] std::uint32_t without_start(Stacks& stacks, std::uint32_t count, bool is_lost) noexcept;

/// Return addresses of the stack on which `frame` is, innermost first, into stacks.addresses: from `caller` on (one of
/// the first few) at most stacks.depth, and then kStackDeeper or kStackLost unless that is all of the program. Reads
/// nothing but [frame, stacks.high). Returns how many.
std::uint32_t walk_stack(Stacks& stacks, const void* frame, std::uint64_t caller) noexcept;

/// In a call that enter_call() has begun, whose wrapper has `frame` and returns to `caller`: thread.site becomes the
/// node of its stack, or stays as it is when there is no room for more nodes, which is counted. New nodes are stored,
/// so the place of the record, which needs `words`, may have changed: returns it. Null: no room, the call is not begun.
[[gnu::noinline]] std::uint64_t* note_stack(ThreadState& thread, std::uint64_t words, const void* frame,
                                            std::uint64_t caller) noexcept;
[[gnu::always_inline]] inline std::uint64_t* note_stack(ThreadState& thread, std::uint64_t words,
                                                        const void* frame) noexcept {
  return note_stack(thread, words, frame, return_address(frame));
}

}  // namespace meridian
