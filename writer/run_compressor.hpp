// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"
#include "trace/ring/spool.hpp"

namespace meridian {

/// Converts drained records to chunks of the rank file while the program runs, as soon as they are in the spool. The
/// spool only keeps those that are not in a checkpoint yet, and starts again after each checkpoint: it is the same few
/// megabytes of memory again and again. If the process dies, each record is in the checkpoint, in the spool, or in both,
/// and readers skip duplicates. Uses no HDF5. A failure ends the conversion: the spool then grows, and remains valid.
class RunCompressor {
 public:
  /// `ring` must outlive this.
  explicit RunCompressor(RingFile& ring);
  ~RunCompressor();
  RunCompressor(const RunCompressor&) = delete;
  RunCompressor& operator=(const RunCompressor&) = delete;

  /// Takes a piece that was just appended to `spool`, the one of all former pieces. Begins with the first megabyte, so
  /// that short runs make no further files. May restart the spool.
  void take(SpoolWriter& spool, std::uint32_t slot, std::uint64_t position, std::span<const std::uint64_t> words);

  /// Makes a checkpoint, so that a rank file that is made now has nothing to convert. Nothing if there is none yet.
  void settle(SpoolWriter& spool);

 private:
  struct Run;

  Status advance(SpoolWriter& spool, std::uint32_t slot, std::uint64_t position, std::span<const std::uint64_t> words);
  Status begin(const SpoolWriter& spool);
  Status commit(SpoolWriter& spool);
  /// Calls `step`; after a failure there are no further steps.
  template <class Step>
  void attempt(Step&& step);

  RingFile& ring_;
  std::uint64_t most_ = 0;  // bytes of a spool; 0: nothing is converted
  std::uint64_t next_ = 0;  // bytes of the spool at the next checkpoint
  std::unique_ptr<Run> run_;
};

}  // namespace meridian
