// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "trace/ring/spool.hpp"

namespace meridian {

/// Moves records from a ring to its spool, and so makes room for the program. The spool is created with the first
/// record: in the output directory when the program has agreed on one, else beside the ring file, and stays there.
class Drain {
 public:
  /// May take the spool away, which leaves it empty: the next record opens another.
  using WhenFull = std::function<void(std::optional<SpoolWriter>& spool)>;

  /// `ring` was opened with RingFile::Access::drain and outlives this.
  /// spool_limit  bytes with which a spool is full, and `when_full` called; 0: never.
  explicit Drain(RingFile& ring, std::uint64_t spool_limit = 0, WhenFull when_full = {})
      : ring_{ring}, spool_limit_{spool_limit}, when_full_{std::move(when_full)} {}

  /// Drains every slot up to its head. While the program has no output directory yet, nothing is drained until a ring
  /// is half full. errors: io (nothing is lost: what could not be stored stays in the ring); damaged (a slot's
  /// positions cannot be true; the other slots are drained all the same).
  Status run();

  std::uint64_t bytes() const noexcept { return bytes_; }
  const std::optional<SpoolWriter>& spool() const noexcept { return spool_; }

 private:
  bool is_time() const;
  Status open_spool();
  Status run_slot(std::uint32_t slot, RingFile::Range range);

  RingFile& ring_;
  std::uint64_t spool_limit_;
  WhenFull when_full_;
  std::optional<SpoolWriter> spool_;
  std::vector<std::uint64_t> piece_;
  bool has_opened_ = false;  // a spool, once
  std::uint64_t bytes_ = 0;  // drained so far
};

}  // namespace meridian
