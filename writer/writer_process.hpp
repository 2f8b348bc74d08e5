// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/format/rank/rank_end.hpp"
#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"
#include "writer/drain.hpp"
#include "writer/idle_processor.hpp"
#include "writer/run_compressor.hpp"
#include "writer/samples/sampler.hpp"

namespace meridian {

/// First argument of meridian-writer for a snapshot of a ring that another writer drains.
inline constexpr const char* kMakeSnapshot = "--snapshot";
/// Folder of these snapshots in the output directory: the latest of each rank.
inline constexpr const char* kSnapshotFolder = "snapshot";

/// The main loop of one writer: drains the ring when it is woken, compresses drained records, makes
/// the rank file on request, and again at the end of the program if there are more records. In between it sleeps on the
/// ring's futex word; only the program and its end wake it, and the time for the next samples.
class WriterProcess {
 public:
  explicit WriterProcess(RingFile ring) : ring_{std::move(ring)} {}

  /// Returns when there is nothing left to do. errors: the reason why the rank file could not be made; ring and spool
  /// then remain.
  Status run();

  /// Called by another thread: the program has ended now. `status` as from wait(); nullopt: unknown.
  void end(std::optional<int> status) noexcept;

  /// Called by a signal handler: requests a snapshot in `snapshot/` of the output directory. A separate process makes
  /// it, so that the ring is drained in the meantime; one at a time.
  void want_snapshot() noexcept;
  /// Called by a signal handler: a snapshot process may have ended, and another snapshot may be due.
  void wake() noexcept;
  /// Without another thread: run() checks periodically whether the program has ended.
  void watch() noexcept { is_watching_ = true; }

 private:
  void serve();          // one round: drains and answers
  bool compress();       // a part of what was drained, if it is time; whether more is to be done
  void answer_finish();  // makes the rank file if one was requested
  Status finish();       // makes the rank file from all records
  Status leave();        // the program has ended
  bool is_over() const;
  RankEnd end() const;  // of the program, as far as known
  void start_snapshot();
  void copy_head();  // for when this host is lost
  void sleep(std::uint32_t seen);

  /// A run that is shorter leaves no copy of its ring's head, and makes no file for it.
  static constexpr std::chrono::seconds kBetweenCopies{2};

  RingFile ring_;
  Sampler sampler_{ring_};
  RunCompressor compressor_{ring_, &has_idle_processor};
  Drain drain_{ring_};
  std::vector<std::uint64_t> finished_progress_;  // at the last rank file; empty: none was made
  std::chrono::steady_clock::time_point next_copy_ = std::chrono::steady_clock::now() + kBetweenCopies;
  bool has_failed_ = false;  // the spool cannot grow: from now on records remain in the ring
  bool is_watching_ = false;
  std::atomic<bool> has_ended_{false};
  RankEnd end_;  // valid once has_ended_ is set
  std::atomic<bool> is_snapshot_wanted_{false};
  pid_t snapshot_pid_ = 0;  // of the snapshot process; 0: none
};

/// Blocks until the process that made the ring has ended. Returns its status as from wait(), if the system tells it to
/// processes other than its parent.
std::optional<int> wait_for_process(std::int32_t pid, std::uint64_t start);

}  // namespace meridian
