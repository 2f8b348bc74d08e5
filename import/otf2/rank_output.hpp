// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "export/left_out.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"
#include "trace/model/ids.hpp"
#include "trace/model/import_keys.hpp"

namespace meridian::imported {

/// The rank file of one process while its locations are read.
class RankOutput {
 public:
  /// locations  of the process: their threads have the numbers from 0 on
  RankOutput(RankFileWriter& writer, RankMeta& meta, std::uint32_t locations)
      : writer_{writer}, meta_{meta}, next_thread_{locations} {}

  LeftOut left_out;
  std::uint64_t one_sided_messages = 0;  ///< whose other side the tool did not record

  RankMeta& meta() { return meta_; }
  std::int32_t rank() const { return meta_.rank; }
  std::uint64_t events() const { return events_; }
  /// The id of a user event.
  std::uint32_t definition(UserKind kind, const std::string& level, const std::string& name);
  /// A thread that holds what happens inside calls of the thread `outer`.
  ThreadId nested_thread(ThreadId outer);
  /// Puts what was left out into texts, from which the merge makes findings.
  void describe_left_out();
  /// Writes the events of a thread, and clears the batch.
  Status append(ThreadId thread, EventBatch& batch);

 private:
  RankFileWriter& writer_;
  RankMeta& meta_;
  std::uint32_t next_thread_;
  std::uint64_t events_ = 0;
  std::map<std::tuple<UserKind, std::string, std::string>, std::uint32_t> definitions_;
};

/// The events of one thread, in order.
class EventStream {
 public:
  explicit EventStream(ThreadId thread) : thread_{thread} {}

  ThreadId thread() const { return thread_; }
  std::uint64_t events() const { return events_; }
  std::uint64_t begin_ticks() const { return begin_ticks_; }
  std::uint64_t end_ticks() const { return end_ticks_; }

  /// Begins an event without rows; they are added to the batch next, with its payload and completions.
  EventBatch& add(CallId call, std::uint64_t enter_ticks, std::uint64_t leave_ticks, std::uint8_t flags = 0);
  EventBatch& add_user(CallId call, std::uint64_t at_ticks, std::uint8_t flags, std::uint32_t definition);
  bool is_full() const;
  Status write(RankOutput& output) { return output.append(thread_, batch_); }

 private:
  ThreadId thread_;
  EventBatch batch_;
  std::uint64_t events_ = 0;
  std::uint64_t begin_ticks_ = 0, end_ticks_ = 0;
};

}  // namespace meridian::imported
