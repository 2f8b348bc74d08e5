// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"
#include "trace/ring/spool.hpp"
#include "writer/kept_part.hpp"

namespace meridian {

/// Converts drained records to chunks of the rank file while the program runs, when that takes no processor from it, or when the
/// spool has become large: ranks that exchange messages in lock step wait for the one whose writer works, so that each writer's
/// work is in series with all others'. The spool only keeps those that are not in a checkpoint yet, and starts again after each
/// checkpoint. If the process dies, each record is in the checkpoint, in the spool, or in both, and readers skip duplicates. Uses
/// no HDF5. A failure ends the conversion: the spool then grows, and remains valid.
///
/// Of a recorder, the spool keeps the last records. Only those that are dropped from it are converted, into sums.
class RunCompressor {
 public:
  using HasIdleProcessor = bool (*)() noexcept;

  /// `ring` must outlive this.
  explicit RunCompressor(RingFile& ring, HasIdleProcessor has_idle);
  ~RunCompressor();
  RunCompressor(const RunCompressor&) = delete;
  RunCompressor& operator=(const RunCompressor&) = delete;

  /// Converts a part of `spool`, the one of all calls, if it is time; `now_ns` is on a clock that all writers of the host have.
  /// Returns whether it was: then drain the ring, where there may be more than the spool could take, and call again. May restart the
  /// spool.
  bool run(SpoolWriter& spool, std::uint64_t now_ns);

  /// Most bytes that the spool may have before run() is called again.
  std::uint64_t most_bytes() const {
    if (!can_convert()) return UINT64_MAX;
    return kept_.is_on() ? kept_.most_bytes() : 2 * most_;
  }

  /// Makes a checkpoint, so that a rank file that is made now has nothing to convert. Nothing if there is none yet.
  void settle(SpoolWriter& spool);

 private:
  struct Run;

  /// Nothing has failed, and there is a place for the chunks.
  bool can_convert() const;
  bool is_time(const SpoolWriter& spool, std::uint64_t now_ns);
  Status advance(SpoolWriter& spool);
  Status drop(SpoolWriter& spool);
  Status begin();
  Status convert(const SpoolWriter& spool, std::uint64_t most_bytes);
  Status commit(SpoolWriter& spool);
  /// Calls `step`; after a failure there are no further steps.
  template <class Step>
  void attempt(Step&& step);

  RingFile& ring_;
  HasIdleProcessor has_idle_;
  std::uint64_t most_ = 0;       // bytes of a spool before it is converted in any case; 0: nothing is converted
  std::uint64_t least_ = 0;      // bytes of a spool that is worth a checkpoint
  std::uint64_t converted_ = 0;  // bytes of the spool
  KeptPart kept_;
  std::uint64_t surplus_ = 0;  // bytes of the spool that are being dropped
  bool is_due_ = false;        // its limit or a common moment is past: convert all of it
  std::uint64_t moment_ = 0;   // number of the last common moment
  std::uint64_t look_ns_ = 0;  // when processors may be looked at again
  std::unique_ptr<Run> run_;
};

}  // namespace meridian
