// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// Which records at the begin of a spool a flight recorder may drop (MERIDIAN_MODE=recorder). The spool is copied when they are dropped, so
/// they are when at least half of it may go.
class KeptPart {
 public:
  explicit KeptPart(const RingFileHeader& ring) : bytes_{ring.keep_bytes}, ns_{ring.keep_ns} {}

  bool is_on() const noexcept { return bytes_ + ns_ != 0; }
  /// How many of the first bytes of the spool, which has `spool_bytes`, may be dropped at `now_ns` on a steady clock; 0: none yet.
  std::uint64_t surplus(std::uint64_t spool_bytes, std::uint64_t now_ns);
  /// The first `bytes` were dropped.
  void drop(std::uint64_t bytes);
  /// Most bytes that the spool may have before the program has to wait for its records to be dropped.
  std::uint64_t most_bytes() const noexcept { return bytes_ != 0 ? 4 * bytes_ : ~std::uint64_t{0}; }

 private:
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{4} << 20;  // that are worth a copy
  static constexpr std::uint64_t kMarks = 16;                           // in the time for which records are kept
  struct Mark {
    std::uint64_t bytes = 0;  // of the spool
    std::uint64_t time_ns = 0;
  };

  std::uint64_t bytes_, ns_;
  std::deque<Mark> marks_;  // how long the spool was when, ascending
};

}  // namespace meridian
