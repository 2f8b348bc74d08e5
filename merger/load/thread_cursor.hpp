// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "merger/model/findings.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// One call as its thread recorded it. The pointers point into the reader's buffer and are valid until the reader moves
/// on; only those that belong to the call's payload are meaningful.
struct Call {
  CallId call{};
  Payload payload{};
  std::uint8_t flags = 0;
  std::uint32_t thread = 0;
  std::uint64_t event = 0;  ///< number within its thread
  std::uint64_t enter_ticks = 0;
  std::uint64_t leave_ticks = 0;      ///< equals enter_ticks if the call never returned
  const PointToPoint* p2p = nullptr;  ///< sendrecv: two elements
  const Collective* coll = nullptr;
  const Completion* completions = nullptr;
  std::uint32_t completion_count = 0;
  const Rma* rma = nullptr;
  const FileAccess* io = nullptr;
  const HandleUse* handle = nullptr;
  const UserUse* user = nullptr;
  const std::uint64_t* user_values = nullptr;
  std::uint64_t site = 0;  ///< return address; 0: not recorded
  std::uint32_t node = 0;  ///< row of RankMeta::stacks; 0: not recorded
  const LockUse* lock = nullptr;
  const ThreadOp* thread_op = nullptr;
  const PollUse* polls = nullptr;

  bool has(RecordFlag flag) const noexcept { return (flags & flag) != 0; }
};

/// Indexes of the file's segments, by thread, in file order.
using ThreadSegments = std::map<std::uint32_t, std::vector<std::size_t>>;
ThreadSegments segments_by_thread(const RankMeta& meta);

/// All threads of the rank will be walked soon: see RankFile::announce().
void announce_first_segments(RankFile& file);

/// Walks the calls of one thread of a rank, with one segment, or a piece of it, in memory at a time. Unreadable segments are skipped with
/// a finding. Times never go backwards.
class ThreadCursor {
 public:
  /// segments  the thread's segments, as indexes into the file, in order. `file` and `findings` must outlive the
  /// cursor,
  ///           which starts at the first call.
  ThreadCursor(RankFile& file, std::uint32_t thread, std::vector<std::size_t> segments, Findings& findings);

  bool is_over() const noexcept { return is_over_; }
  const Call& call() const noexcept { return call_; }
  std::uint32_t thread() const noexcept { return call_.thread; }
  void advance() {
    if (next_row_ == rows_) [[unlikely]] {
      if (!load()) return;
    }
    take();
  }

 private:
  bool load();       // reads the next readable piece of a segment; false at the end
  void take();       // makes the next row the current call
  void end_idle();   // an OpenMP thread without a share
  void skip_rows();  // moves the pointers of the call behind its rows

  RankFile* file_;
  Findings* findings_;
  std::vector<std::size_t> segments_;  // indexes into the file, in order
  std::size_t next_segment_ = 0;
  SegmentPieces pieces_;  // of the segment before that
  EventBatch batch_;
  std::size_t rows_ = 0;
  std::size_t next_row_ = 0;
  std::uint64_t next_event_ = 0;
  std::uint64_t earliest_ticks_ = 0;  // no call begins before this
  std::uint64_t latest_ticks_ = 0;    // no call ends after this
  std::uint64_t end_ticks_ = 0;       // of the thread, or of the rank; 0: unknown
  Call call_;
  const std::uint64_t* site_ = nullptr;  // next row
  const std::uint32_t* node_ = nullptr;  // null: no stacks were recorded
  bool is_over_ = false;
};

}  // namespace meridian
