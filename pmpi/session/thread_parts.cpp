// SPDX-License-Identifier: Apache-2.0
// Resources of a thread besides its ring: counters, call stacks, counts of calls that are not recorded.

#include "pmpi/session/thread_parts.hpp"

#include "pmpi/choice/choice.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/drops.hpp"
#include "pmpi/rings/nested.hpp"
#include "pmpi/rings/producer.hpp"
#include "pmpi/rings/small.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/rings/usage.hpp"
#include "pmpi/samples/signal_samples.hpp"
#include "pmpi/stacks/python_frames.hpp"
#include "pmpi/stacks/stacks.hpp"

namespace meridian {

// MERIDIAN_POLLS: 0 phases, 1 all, in the order of options.def.
static constexpr std::int64_t kPollPhases = 0;

void equip_thread(ThreadState& thread) noexcept {
  if (thread.inside == kNoThread) {  // nested calls are counted in the call around them
    store_thread_usage(UsageKind::thread_begin);
    attach_counters(thread);
  }
  const auto depth = static_cast<std::uint32_t>(g_session.options.number(OptionId::stack));
  thread.site_header = depth != 0 || g_session.options.is_on(OptionId::sites) ? kSiteHeader : 0;
  if (depth != 0 || g_python.is_there) thread.stacks = make_stacks(depth, reinterpret_cast<std::uintptr_t>(&make_room));
  if (depth != 0 && thread.stacks == nullptr) count_loss(Loss::stack_full);
  // With stacks and in nested calls, which leave the ring open to the call around them, each poll has a record.
  thread.polls.is_wanted =
      depth == 0 && thread.inside == kNoThread && g_session.options.number(OptionId::polls) == kPollPhases;
}

namespace {

void release_parts(ThreadState& thread) noexcept {
  release_stacks(thread.stacks);
  release_drops(thread);
  release_learned(thread);
}

void release_nested(ThreadState& inner) noexcept {
  release_parts(inner);
  inner.slot->state.store(SlotState::closed, std::memory_order_release);
}

}  // namespace

void release_thread() noexcept {
  end_thread_samples();
  ThreadState& thread = t_state;
  release_nest(thread, &release_nested);
  give_back_shard(thread);
  if (thread.slot == nullptr) return;
  RingSlot* const slot = thread.slot;
  // otherwise the process is ending, possibly in a call
  if (g_session.state.load(std::memory_order_acquire) == SessionState::on) {
    if (thread.block_limit != nullptr && thread.limit == nullptr) abandon_call(thread);  // cancelled in a call
    store_thread_usage(UsageKind::thread_end);
  }
  detach_counters(thread);
  release_parts(thread);
  thread = ThreadState{};
  slot->state.store(SlotState::closed, std::memory_order_release);
}

}  // namespace meridian
