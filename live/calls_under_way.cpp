// SPDX-License-Identifier: Apache-2.0
#include "live/calls_under_way.hpp"

#include <array>

#include "trace/model/small_records.hpp"

namespace meridian {

std::map<std::uint32_t, RecordHead> calls_under_way(const RingFile& ring) {
  std::map<std::uint32_t, RecordHead> calls;
  const std::uint64_t block_bytes = ring.geometry().block_bytes;
  for (std::uint32_t i = 0; i < ring.geometry().slot_count; ++i) {
    const RingSlot& slot = ring.slot(i);
    const std::uint64_t head = slot.head.load(std::memory_order_acquire);
    std::array<std::uint64_t, words_of<RecordHead>> words{};
    if (head % kWordBytes != 0 || head % block_bytes == 0 || block_bytes - head % block_bytes < sizeof words) continue;
    if (slot.state.load(std::memory_order_acquire) != SlotState::active || !ring.read(i, head, words)) continue;
    if (words[0] != 0 && !is_small(words[0]) && slot.head.load(std::memory_order_acquire) == head)
      calls[slot.thread] = whole_head(words.data());
  }
  return calls;
}

}  // namespace meridian
