// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <thread>

#include "trace/ring/ring_file.hpp"
#include "trace/ring/spool.hpp"

namespace meridian {

/// Compresses full spools beside the draining, one at a time: a spool that is full while the one before is still at it
/// has to wait, and with it, when its ring is full too, the program. So disk and memory have a bound. A compression
/// that failed is not tried again: the spool grows then, and stays valid for the making of the rank file.
class SpoolCompressor {
 public:
  /// `ring` outlives this.
  explicit SpoolCompressor(RingFile& ring);
  ~SpoolCompressor() { wait(); }
  SpoolCompressor(const SpoolCompressor&) = delete;
  SpoolCompressor& operator=(const SpoolCompressor&) = delete;

  /// Bytes with which a spool is full: there are two at a time. 0: never.
  std::uint64_t spool_limit() const noexcept { return limit_; }
  /// Takes the spool, if that can be; it is empty then, and the next record opens another.
  void take(std::optional<SpoolWriter>& spool);
  /// Waits until nothing is being compressed.
  void wait();

 private:
  RingFile& ring_;
  std::uint64_t limit_;
  bool has_failed_ = false;  // of the thread while it runs
  std::thread thread_;
};

}  // namespace meridian
