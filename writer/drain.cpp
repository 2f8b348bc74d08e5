// SPDX-License-Identifier: Apache-2.0
#include "writer/drain.hpp"

#include <algorithm>

#include "trace/records/places.hpp"

namespace meridian {

bool Drain::is_time() const {
  if (has_opened_ || !ring_.output_dir().empty()) return true;
  for (std::uint32_t slot = 0; slot < ring_.geometry().slot_count; ++slot) {
    const auto range = ring_.range(slot);
    if (range && (range->head - range->tail) * 2 >= ring_.geometry().ring_bytes) return true;
  }
  return false;
}

Status Drain::open_spool() {
  if (spool_) return {};
  has_opened_ = true;
  if (!ring_.output_dir().empty()) {
    auto made = SpoolWriter::create(spool_in_output(ring_.output_dir(), ring_.world_rank()));
    if (made) {
      spool_.emplace(*std::move(made));
      return {};
    }
  }
  MERIDIAN_TRY(spool_, SpoolWriter::create(spool_beside(ring_.path())));
  return {};
}

Status Drain::run_slot(std::uint32_t slot, RingFile::Range range) {
  while (range.tail < range.head) {
    if (spool_limit_ != 0 && spool_ && spool_->bytes() >= spool_limit_) when_full_(spool_);
    MERIDIAN_TRY_DO(open_spool());
    const std::uint64_t end = piece_end(ring_.geometry(), range.tail, range.head);
    piece_.resize((end - range.tail) / kWordBytes);
    MERIDIAN_TRY_DO(ring_.read(slot, range.tail, piece_));
    MERIDIAN_TRY_DO(spool_->append(slot, range.tail, piece_));
    bytes_ += end - range.tail;
    range.tail = end;
    ring_.shared_slot(slot).tail.store(end, std::memory_order_release);
  }
  return {};
}

Status Drain::run() {
  if (!is_time()) return {};
  Status first_damage;
  for (std::uint32_t slot = 0; slot < ring_.geometry().slot_count; ++slot) {
    const RingSlot& shared = ring_.slot(slot);
    // Slots are taken in order: no slot after an unused one is in use.
    if (shared.state.load(std::memory_order_acquire) == SlotState::free &&
        shared.head.load(std::memory_order_acquire) == 0)
      break;
    const auto range = ring_.range(slot);
    if (!range) {
      if (first_damage) first_damage = range.error();
      continue;
    }
    MERIDIAN_TRY_DO(run_slot(slot, *range));
  }
  return first_damage;
}

}  // namespace meridian
