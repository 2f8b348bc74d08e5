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

/// Stores the line of a frame. 0: there is no room.
[[gnu::cold, gnu::noinline]] std::uint64_t add_line(ThreadState& thread, const PythonFrame& frame) noexcept {
  const void* const wrapper = thread.frame;
  thread.limit = thread.block_limit;
  const std::uint64_t site = add_python_site(thread.stacks->python, frame);
  if (!make_room_inside(thread, kMaxFixedWords, wrapper)) return 0;
  return site;
}

/// The line of a frame, in a call; 0: there is no room.
std::uint64_t line_of(ThreadState& thread, const PythonFrame& frame) noexcept {
  const std::uint64_t site = find_python_site(thread.stacks->python, frame);
  return site != 0 ? site : add_line(thread, frame);
}

bool reads_python() noexcept { return __atomic_load_n(&g_python.is_on, __ATOMIC_ACQUIRE); }

/// The line of Python that a call from `caller` is made from; 0: it is not made for Python.
std::uint64_t python_site(ThreadState& thread, std::uint64_t caller) noexcept {
  if (!reads_python() || kind_of_caller(thread.stacks->python, caller) == CallerKind::plain) return 0;
  for (PythonFrame frame = innermost_python_frame(); frame.at != 0; frame = python_caller(frame))
    if (const std::uint64_t site = line_of(thread, frame); site != kPassedOver) return site;
  return 0;
}

/// Replaces the interpreter's frames, and those of the code that it runs for Python, by lines of Python. Returns the new
/// number of addresses; 0: the call is over.
std::uint32_t with_python(ThreadState& thread, std::uint32_t count) noexcept {
  Stacks& stacks = *thread.stacks;
  std::uint32_t begin = 0;
  while (begin < count && (stacks.addresses[begin] <= kStackLost ||
                           kind_of_caller(stacks.python, stacks.addresses[begin]) == CallerKind::plain))
    ++begin;
  if (begin == count) return count;
  PythonFrame frame = innermost_python_frame();
  if (frame.at == 0) return count;
  for (; frame.at != 0 && begin < stacks.depth; frame = python_caller(frame)) {
    const std::uint64_t site = line_of(thread, frame);
    if (thread.limit != nullptr || thread.block_limit == nullptr) return 0;
    if (site == 0) break;
    if (site == kPassedOver) continue;
    stacks.addresses[begin++] = site;
  }
  if (frame.at != 0) stacks.addresses[begin++] = kStackDeeper;
  return begin;
}

}  // namespace

std::uint64_t* note_stack(ThreadState& thread, std::uint64_t words, const void* frame, std::uint64_t caller) noexcept {
  Stacks& stacks = *thread.stacks;
  std::uint64_t* const before = thread.cursor;
  std::uint32_t node = 0;
  std::uint64_t line = 0;
  if (!stacks.is_busy) [[likely]] {  // otherwise a signal handler on another stack has interrupted
    stacks.is_busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (stacks.depth == 0) {
      line = python_site(thread, caller);
    } else {
      std::uint32_t left = walk_stack(stacks, frame, caller);
      if (reads_python()) left = with_python(thread, left);
      while (left != 0) {
        node = child(thread, node, stacks.addresses[--left]);
        if (node == 0) break;
      }
    }
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
  else if (line != 0)
    thread.site = line;
  else if (stacks.depth != 0)
    count_loss(Loss::stack_full);
  return thread.cursor;
}

std::uint64_t python_poll_address(ThreadState& thread, const void* frame) noexcept {
  Stacks& stacks = *thread.stacks;
  const std::uint64_t caller = return_address(frame);
  if (stacks.depth != 0 || thread.limit == nullptr || stacks.is_busy || !reads_python() ||
      kind_of_caller(stacks.python, caller) != CallerKind::binding)
    return caller;
  for (PythonFrame python = innermost_python_frame(); python.at != 0; python = python_caller(python)) {
    std::uint64_t site = find_python_site(stacks.python, python);
    if (site == 0) site = add_python_site(stacks.python, python);
    if (site != kPassedOver) return site != 0 ? site : caller;
  }
  return caller;
}

}  // namespace meridian
