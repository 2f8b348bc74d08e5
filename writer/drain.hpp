// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ring/spool.hpp"

namespace meridian {

/// Moves records from a ring to its spool, and so makes room for the program. The spool is created with the first
/// record: in the output directory if the program has agreed on one, otherwise beside the ring file; it stays there.
class Drain {
 public:
  /// `ring` was opened with RingFile::Access::drain and must outlive this.
  explicit Drain(RingFile& ring) : ring_{ring} {}

  /// Drains every slot up to its head, or until the spool has `most_bytes`. Until the program has an output directory, nothing is drained before a ring is
  /// half full. errors: io (no record is lost: records that could not be stored remain in the ring); damaged (a slot
  /// has invalid positions; the other slots are drained nevertheless).
  Status run(std::uint64_t most_bytes = UINT64_MAX);

  std::uint64_t bytes() const noexcept { return bytes_; }
  std::optional<SpoolWriter>& spool() noexcept { return spool_; }

 private:
  bool is_time() const;
  Status open_spool();
  /// Wakes the slot's thread if it waits for a block that moving the tail from `before` to `tail` has freed.
  void wake_owner(const RingSlot& slot, std::uint64_t before, std::uint64_t tail);
  Status run_slot(std::uint32_t slot, RingFile::Range range, std::uint64_t most_bytes);

  RingFile& ring_;
  std::optional<SpoolWriter> spool_;
  std::vector<std::uint64_t> piece_;
  bool has_opened_ = false;  // a spool, once
  std::uint64_t bytes_ = 0;  // drained so far
};

}  // namespace meridian
