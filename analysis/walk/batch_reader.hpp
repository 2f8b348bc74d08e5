// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "merged/merged_trace.hpp"

namespace meridian {

/// An event as the other end of a message or another participant of a collective: the fields that analyses use.
/// bytes_sent is 0 unless the selection has kFieldBytesSent.
struct WindowEvent {
  std::uint64_t row = 0;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint64_t bytes_sent = 0;
  std::uint32_t location = 0;
  std::uint32_t call = 0;
  std::uint32_t site = 0;
  std::uint32_t flags = 0;      ///< as in MergedEvent
  std::int64_t outside_ns = 0;  ///< as in MergedEvent

  static WindowEvent of(const MergedEvent& event) {
    return {event.row,  event.enter_ns, event.leave_ns(), event.bytes_sent, event.location,
            event.call, event.site,     event.flags,      event.outside_ns};
  }
};

/// Reads all events of a trace in a thread of its own, a batch ahead of the one that is looked at. Where HDF5 must not be
/// called from several threads, or there is one processor, it reads each batch when it is asked for.
class BatchReader {
 public:
  struct Batch {
    MergedBatch batch;
    std::vector<WindowEvent> events;  ///< the same by row, also if the batch is backwards
  };

  /// cursor  of a trace that outlives the reader, and that no other thread reads with it
  BatchReader(EventCursor cursor, bool has_thread) : cursor_{std::move(cursor)}, has_thread_{has_thread} {}
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  /// Whether threads help here.
  static bool can_have_thread();

  /// Replaces the batch, whose memory is used again; false: there is none.
  Result<bool> next(Batch& batch);

 private:
  static constexpr std::size_t kMostAhead = 2;  // batches: 7 MB and 3.7 MB each

  Result<bool> read(Batch& batch);
  void work();

  EventCursor cursor_;  // of the thread, if there is one
  bool has_thread_;
  std::thread thread_;  // starts with the first batch

  std::mutex mutex_;  // protects what follows
  std::condition_variable has_changed_;
  std::deque<Batch> ahead_;
  std::vector<Batch> free_;  // with their memory
  Status status_;
  bool is_at_end_ = false;  // or failed: no batch comes after those ahead
  bool is_over_ = false;
};

}  // namespace meridian
