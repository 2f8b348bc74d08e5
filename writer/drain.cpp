// SPDX-License-Identifier: Apache-2.0
#include "writer/drain.hpp"

#include <algorithm>

#include "trace/records/finish/places.hpp"
#include "trace/ring/ring_futex.hpp"

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

Status Drain::run_slot(std::uint32_t slot, RingFile::Range range, std::uint64_t most_bytes) {
  while (range.tail < range.head && (!spool_ || spool_->bytes() < most_bytes)) {
    MERIDIAN_TRY_DO(open_spool());
    const std::uint64_t end = piece_end(ring_.geometry(), range.tail, range.head);
    piece_.resize((end - range.tail) / kWordBytes);
    MERIDIAN_TRY_DO(ring_.read(slot, range.tail, piece_));
    MERIDIAN_TRY_DO(spool_->append(slot, range.tail, piece_));
    bytes_ += end - range.tail;
    ring_.shared_slot(slot).tail.store(end, std::memory_order_release);
    wake_owner(ring_.shared_slot(slot), range.tail, end);
    range.tail = end;
  }
  return {};
}

// The thread stores its head, changes `wake` (wake_writer()) and reads the tail; it waits if it has no free block. This
// process stores the tail, changes `wake` and reads the head. Changes of one variable are in an order, so one of the two sees
// what the other has stored.
void Drain::wake_owner(const RingSlot& slot, std::uint64_t before, std::uint64_t tail) {
  ring_.shared_header().wake.fetch_add(0, std::memory_order_seq_cst);
  const std::uint64_t end = slot.head.load(std::memory_order_acquire) + ring_.geometry().block_bytes;
  const bool had_room = end - before <= ring_.geometry().ring_bytes;
  if (had_room || end - tail > ring_.geometry().ring_bytes) return;
  std::atomic<std::uint32_t>& served = ring_.shared_header().served;
  served.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(served);
}

Status Drain::run(std::uint64_t most_bytes) {
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
    MERIDIAN_TRY_DO(run_slot(slot, *range, most_bytes));
  }
  return first_damage;
}

}  // namespace meridian
