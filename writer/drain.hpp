// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trace/ring/spool.hpp"

namespace meridian {

/// Moves records from a ring to its spool, and so makes room for the program. The spool is created with the first
/// record: in the output directory if the program has agreed on one, otherwise beside the ring file; it stays there.
class Drain {
 public:
  /// Called after each piece, which is the last one in the spool. May restart the spool.
  using WhenStored = std::function<void(SpoolWriter& spool, std::uint32_t slot, std::uint64_t position,
                                        std::span<const std::uint64_t> words)>;

  /// `ring` was opened with RingFile::Access::drain and must outlive this.
  explicit Drain(RingFile& ring, WhenStored when_stored = {}) : ring_{ring}, when_stored_{std::move(when_stored)} {}

  /// Drains every slot up to its head. Until the program has an output directory, nothing is drained before a ring is
  /// half full. errors: io (no record is lost: records that could not be stored remain in the ring); damaged (a slot
  /// has invalid positions; the other slots are drained nevertheless).
  Status run();

  std::uint64_t bytes() const noexcept { return bytes_; }
  std::optional<SpoolWriter>& spool() noexcept { return spool_; }

 private:
  bool is_time() const;
  Status open_spool();
  /// Wakes the slot's thread if it waits for a block that moving the tail from `before` to `tail` has freed.
  void wake_owner(const RingSlot& slot, std::uint64_t before, std::uint64_t tail);
  Status run_slot(std::uint32_t slot, RingFile::Range range);

  RingFile& ring_;
  WhenStored when_stored_;
  std::optional<SpoolWriter> spool_;
  std::vector<std::uint64_t> piece_;
  bool has_opened_ = false;  // a spool, once
  std::uint64_t bytes_ = 0;  // drained so far
};

}  // namespace meridian
