// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <thread>

#include "trace/ring/ring_file.hpp"
#include "trace/ring/spool.hpp"

namespace meridian {

/// Compresses full spools while the ring is drained, one at a time: a full spool waits until the previous one is
/// compressed, and the program waits too if its ring is full. This limits disk space and memory. A failed compression
/// is not repeated: the spool then grows, and remains valid for the rank file.
class SpoolCompressor {
 public:
  /// `ring` must outlive this.
  explicit SpoolCompressor(RingFile& ring);
  ~SpoolCompressor() { wait(); }
  SpoolCompressor(const SpoolCompressor&) = delete;
  SpoolCompressor& operator=(const SpoolCompressor&) = delete;

  /// Size in bytes at which a spool is full; two exist at a time. 0: never.
  std::uint64_t spool_limit() const noexcept { return limit_; }
  /// Takes the spool if possible; it is then empty, and the next record opens a new one.
  void take(std::optional<SpoolWriter>& spool);
  /// Waits until no compression is running.
  void wait();

 private:
  RingFile& ring_;
  std::uint64_t limit_;
  bool has_failed_ = false;  // written by the thread while it runs
  std::thread thread_;
};

}  // namespace meridian
