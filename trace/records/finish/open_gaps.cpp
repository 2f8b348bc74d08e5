// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/open_gaps.hpp"

#include <string>

#include "trace/model/event.hpp"

namespace meridian {

void add_open_gaps(const RingFile& ring, RankMeta& meta) {
  const auto add = [&](std::uint64_t since, std::uint64_t thread) {
    if (since != 0) meta.texts.push_back({kLostKey, std::to_string(since), thread, since});
  };
  add(ring.header().lost_since.load(std::memory_order_acquire), kNoThread);
  for (std::uint32_t i = 0; i < ring.geometry().slot_count; ++i) {
    const RingSlot& slot = ring.slot(i);
    if (slot.head.load(std::memory_order_relaxed) == 0) continue;
    const std::uint64_t since = slot.lost_since.load(std::memory_order_acquire);
    if (slot.lost_matter.load(std::memory_order_relaxed) != 0) add(since, slot.thread);
  }
}

}  // namespace meridian
