// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "merger/model/findings.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// One call as its thread recorded it. The pointers are into the reader's buffer, valid until the reader moves on;
/// only those of its payload have a meaning.
struct Call {
  CallId call{};
  Payload payload{};
  std::uint8_t flags = 0;
  std::uint32_t thread = 0;
  std::uint64_t event = 0;  ///< number in its thread
  std::uint64_t enter_ticks = 0;
  std::uint64_t leave_ticks = 0;      ///< equals enter_ticks when the call never returned
  const PointToPoint* p2p = nullptr;  ///< sendrecv: two
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

  bool has(RecordFlag flag) const noexcept { return (flags & flag) != 0; }
};

/// Numbers of the file's segments, in order, by their threads.
using ThreadSegments = std::map<std::uint32_t, std::vector<std::size_t>>;
ThreadSegments segments_by_thread(const RankMeta& meta);

/// Walks the calls of one thread of a rank, holding one segment in memory. Segments that cannot be read are skipped
/// with a finding; times never go backwards.
class ThreadCursor {
 public:
  /// segments  the thread's, by their numbers in the file, in order. `file` and `findings` must outlive the cursor,
  /// which starts at the first call.
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
  bool load();  // the next readable segment; false at the end
  void take();  // the next row becomes the call

  RankFile* file_;
  Findings* findings_;
  std::vector<std::size_t> segments_;  // numbers in the file, in order
  std::size_t next_segment_ = 0;
  EventBatch batch_;
  std::size_t rows_ = 0;
  std::size_t next_row_ = 0;
  std::uint64_t next_event_ = 0;
  std::uint64_t earliest_ticks_ = 0;  // no call begins before this
  std::uint64_t latest_ticks_ = 0;    // and none ends after this
  Call call_;
  // The next row of each table.
  const PointToPoint* p2p_ = nullptr;
  const Collective* coll_ = nullptr;
  const Completion* completions_ = nullptr;
  const Rma* rma_ = nullptr;
  const FileAccess* io_ = nullptr;
  const HandleUse* handle_ = nullptr;
  const UserUse* user_ = nullptr;
  const std::uint64_t* user_values_ = nullptr;
  const std::uint64_t* site_ = nullptr;
  const std::uint32_t* node_ = nullptr;  // null: there are none
  const LockUse* lock_ = nullptr;
  const ThreadOp* thread_op_ = nullptr;
  bool is_over_ = false;
};

}  // namespace meridian
