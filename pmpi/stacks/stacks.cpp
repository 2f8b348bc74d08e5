// hot
// SPDX-License-Identifier: Apache-2.0

#include "pmpi/stacks/stacks.hpp"

#include "pmpi/process/clock.hpp"
#include "pmpi/process/losses.hpp"

namespace meridian {
namespace {

/// Opens the ring to make room in it, and closes it again. False: there is none, and the call is over.
[[gnu::cold, gnu::noinline]] bool make_room_inside(ThreadState& thread, std::uint64_t words,
                                                   const void* frame) noexcept {
  thread.limit = thread.block_limit;
  if (make_room(thread, words, frame) == nullptr) {
    miss_call(thread);
    return false;
  }
  enter_call(thread, frame);
  return true;
}

/// Stores a new node. 0: the limit is reached, or the ring has no room.
[[gnu::cold, gnu::noinline]] std::uint32_t add_node(ThreadState& thread, Stacks::Node& slot, std::uint32_t parent,
                                                    std::uintptr_t return_address) noexcept {
  Stacks& stacks = *thread.stacks;
  if (stacks.nodes == Stacks::kMaxNodes) return 0;
  constexpr std::uint64_t kWords = words_of<RecordHead> + words_of<StackNode>;
  if (thread.cursor >= thread.block_limit && !make_room_inside(thread, kWords, thread.frame)) return 0;
  std::uint64_t* const at = thread.cursor;
  at[1] = at[2] = read_ticks();
  const std::uint32_t id = stacks.nodes + 1;
  *reinterpret_cast<StackNode*>(at + words_of<RecordHead>) = {id, parent, return_address};
  store_release(at[0], header_word(CallId::none, Payload::stack, kWords));
  leave_call(thread, at, kWords);
  thread.limit = nullptr;
  stacks.nodes = id;
  slot = {return_address, parent, id};
  return id;
}

/// The node of a call from `return_address` inside `parent`; 0: there is no room.
std::uint32_t child(ThreadState& thread, std::uint32_t parent, std::uintptr_t return_address) noexcept {
  Stacks& stacks = *thread.stacks;
  std::uint32_t slot = stack_slot(return_address + parent * kStackSpread, Stacks::kNodeSlots);
  for (;; slot = (slot + 1) & (Stacks::kNodeSlots - 1)) {
    Stacks::Node& node = stacks.node_slots[slot];
    if (node.return_address == return_address && node.parent == parent && node.id != 0) [[likely]]
      return node.id;
    if (node.id == 0) [[unlikely]]
      return add_node(thread, node, parent, return_address);
  }
}

}  // namespace

std::uint64_t* note_stack(ThreadState& thread, std::uint64_t words, const void* frame, std::uint64_t caller) noexcept {
  Stacks& stacks = *thread.stacks;
  std::uint64_t* const before = thread.cursor;
  std::uint32_t node = 0;
  if (!stacks.is_busy) [[likely]] {  // otherwise a signal handler on another stack has interrupted
    stacks.is_busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::uint32_t left = walk_stack(stacks, frame, caller);
    do {
      node = child(thread, node, stacks.addresses[--left]);
    } while (left != 0 && node != 0);
    thread.call_address = return_address(frame);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    stacks.is_busy = false;
  }
  const bool is_over = thread.limit != nullptr || thread.block_limit == nullptr;
  if (is_over || (thread.cursor != before && (thread.cursor >= thread.block_limit || words > kMaxFixedWords) &&
                  !make_room_inside(thread, words, frame))) [[unlikely]] {
    leave_nested_call(thread);
    return nullptr;
  }
  if (node != 0) [[likely]]
    thread.site = kStackSite | node;
  else
    count_loss(Loss::stack_full);
  return thread.cursor;
}

}  // namespace meridian
