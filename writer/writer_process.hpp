// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"
#include "writer/drain.hpp"
#include "writer/spool_compressor.hpp"

namespace meridian {

/// First argument of meridian-writer when it is to make a snapshot of a ring that another writer drains.
inline constexpr const char* kMakeSnapshot = "--snapshot";
/// Where these snapshots are, below the output directory: the latest of each rank.
inline constexpr const char* kSnapshotFolder = "snapshot";

/// The life of one writer: drains the ring when it is woken, compresses what it has drained when that is much, makes
/// the rank file when it is asked, and once more when the program has ended with more records than that. Sleeps on the
/// ring's futex word in between; nothing wakes it but the program and its end.
class WriterProcess {
 public:
  explicit WriterProcess(RingFile ring)
      : ring_{std::move(ring)}, compressor_{ring_}, drain_{ring_, compressor_.spool_limit(), [this](auto& spool) {
                                                             compressor_.take(spool);
                                                           }} {}

  /// Returns when there is nothing left to do. errors: what kept the rank file from being made; ring and spool stay
  /// then.
  Status run();

  /// From another thread: the program has ended.
  void end() noexcept;

  /// From a signal handler: requests a snapshot in `snapshot/` of the output directory. Made by a process of its
  /// own, so that the ring is drained meanwhile; one after the other.
  void want_snapshot() noexcept;
  /// From a signal handler: a process that makes a snapshot may have ended, and another snapshot may be due.
  void wake() noexcept;
  /// Without another thread: run() looks itself, now and then, whether the program has ended.
  void watch() noexcept { is_watching_ = true; }

 private:
  void serve();          // one round: drain, answer
  void answer_finish();  // makes the rank file when one was asked for
  Status finish();       // makes the rank file from all there is
  Status leave();        // the program is gone
  bool is_over() const;
  void start_snapshot();
  void sleep(std::uint32_t seen);

  RingFile ring_;
  SpoolCompressor compressor_;
  Drain drain_;
  std::vector<std::uint64_t> finished_progress_;  // when the rank file was made last; empty: never
  bool has_failed_ = false;                       // the spool cannot grow: from now on the ring keeps what it has
  bool is_watching_ = false;
  std::atomic<bool> has_ended_{false};
  std::atomic<bool> is_snapshot_wanted_{false};
  pid_t snapshot_pid_ = 0;  // of the process that makes one; 0: none does
};

/// Blocks until the process that made the ring has ended.
void wait_for_process(std::int32_t pid, std::uint64_t start);

}  // namespace meridian
