// SPDX-License-Identifier: Apache-2.0
#include "pmpi/rings/drops.hpp"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "pmpi/process/clock.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {
namespace {

// MERIDIAN_FULL: 0 wait, 1 drop, in the order of options.def.
constexpr std::int64_t kDrop = 1;
constexpr std::uint16_t kMostRegions = 512;
constexpr std::uint64_t kListBytes = kMostRegions * sizeof(LostRegion);

std::atomic<std::uint64_t> g_stored_bytes{0};

void emit_begin(const LostRegion& region) noexcept {
  const std::uint64_t now = read_ticks();
  emit(
      Payload::user, words_of<RecordHead> + words_of<UserUse>, now, now,
      [&](std::uint64_t* body) {
        *reinterpret_cast<UserUse*>(body) = {region.id, 0};
      },
      region.call, 0, kFlagBegins);
}

}  // namespace

bool may_drop(const ThreadState& thread) noexcept {
  return !thread.is_kept && g_session.options.number(OptionId::full) == kDrop;
}

void count_drop(ThreadState& thread) noexcept {
  RingSlot& slot = *thread.slot;
  if (slot.lost_since.load(std::memory_order_relaxed) == 0)
    slot.lost_since.store(read_ticks(), std::memory_order_relaxed);
  slot.lost.store(slot.lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  count_loss(Loss::ring_full);
}

void end_drops(ThreadState& thread) noexcept {
  RingSlot& slot = *thread.slot;
  const std::uint64_t lost = slot.lost.load(std::memory_order_relaxed);
  if (lost == 0) return;
  const std::uint64_t since = slot.lost_since.load(std::memory_order_relaxed);
  const std::uint64_t regions = thread.lost_regions;
  char text[64];
  snprintf(text, sizeof text, "%llu %llu %s", static_cast<unsigned long long>(since),
           static_cast<unsigned long long>(lost - regions),
           slot.lost_matter.load(std::memory_order_relaxed) != 0 ? "messages" : "others");
  // In this order: a reader that makes a rank file at this moment finds the gap in the slot, in the ring, or in both.
  thread.lost_regions = 0;
  slot.lost.store(0, std::memory_order_relaxed);
  emit_text(kLostKey, text, strlen(text), slot.thread);
  slot.lost_matter.store(0, std::memory_order_relaxed);
  slot.lost_since.store(0, std::memory_order_release);
  // Late, but not lost.
  g_session.ring->losses[static_cast<std::size_t>(Loss::ring_full)].fetch_sub(regions, std::memory_order_relaxed);
  for (std::uint64_t i = 0; i < regions; ++i) emit_begin(thread.lost_region_list[i]);
}

bool has_room_for_lost_region(ThreadState& thread) noexcept {
  if (thread.lost_region_list == nullptr) {
    void* const list = mmap(nullptr, kListBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list == MAP_FAILED) return false;
    thread.lost_region_list = static_cast<LostRegion*>(list);
  }
  return thread.lost_regions < kMostRegions;
}

void begin_lost_region(ThreadState& thread, LostRegion region) noexcept {
  thread.lost_region_list[thread.lost_regions++] = region;
}

bool end_lost_region(ThreadState& thread) noexcept {
  if (thread.lost_regions == 0) return false;
  --thread.lost_regions;
  count_drop(thread);
  return true;
}

void release_drops(ThreadState& thread) noexcept {
  if (thread.lost_region_list != nullptr) munmap(thread.lost_region_list, kListBytes);
}

void miss_call(const ThreadState& thread) noexcept {
  if (g_session.state.load(std::memory_order_acquire) != SessionState::on) return;
  if (thread.slot == nullptr) {
    if (thread.attach_pause != 0 || thread.attach_loss != Loss{}) note_lost_for_good();
  } else if (thread.block_limit == nullptr) {  // otherwise it is inside another call
    if (thread.slot->lost.load(std::memory_order_relaxed) == 0)
      note_lost_for_good();  // the writer is gone
    else
      thread.slot->lost_matter.store(1, std::memory_order_relaxed);
  }
}

bool begin_lost_call(ThreadState& thread, const void* frame, bool is_missed) noexcept {
  if (is_missed) miss_call(thread);
  const bool is_lost = thread.slot != nullptr && thread.slot->lost.load(std::memory_order_relaxed) != 0;
  if (!is_lost || thread.block_limit != nullptr) return false;  // another reason, or inside another call
  enter_call(thread, frame);
  thread.block_limit = &g_lost_call;
  return true;
}

void note_lost_for_good() noexcept {
  std::uint64_t never = 0;
  g_session.ring->lost_since.compare_exchange_strong(never, read_ticks(), std::memory_order_relaxed);
}

bool count_towards_size(std::uint64_t bytes) noexcept {
  const auto limit = static_cast<std::uint64_t>(g_session.options.number(OptionId::max_size));
  if (limit == 0) return false;
  const std::uint64_t before = g_stored_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return before < limit && before + bytes >= limit;
}

}  // namespace meridian
