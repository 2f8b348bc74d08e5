// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "merger/model/event_ref.hpp"
#include "merger/model/event_row.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// What matching found, in the order in which it did.
struct MatchedRows {
  std::vector<std::uint32_t> sites;  ///< of the call paths that are new with these rows, in order of their numbers
  std::vector<EventRow> events;
  std::vector<MatchedMessage> messages;
  std::vector<CollectivePart> parts;
  std::vector<AwaitedCall> awaited;

  void clear() noexcept;
};

/// Stores rows in a thread of its own, in order, while the next ones are being found. Without the thread it stores them at
/// once. One thread calls the members.
class BackgroundWriter {
 public:
  using Store = std::function<Status(const MatchedRows&)>;

  /// store  is called from the thread alone, until finish()
  BackgroundWriter(Store store, bool has_thread);
  /// Rows that were not stored are dropped.
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  /// The rows to be filled in; they stay those of the caller until hand_over().
  MatchedRows& rows() noexcept { return rows_; }
  /// Stores them if there are enough. Waits while the thread is behind. Returns the error of earlier rows.
  Status hand_over();
  /// Stores all rows.
  Status finish();

 private:
  static constexpr std::size_t kEnough = 16384;  // events
  static constexpr std::size_t kMostWaiting = 3;

  Status submit();
  void work();
  Status store_rows(const MatchedRows& rows) const;

  Store store_;
  bool has_thread_;
  MatchedRows rows_;
  std::thread thread_;  // starts with the first rows

  std::mutex mutex_;  // protects what follows
  std::condition_variable has_changed_;
  std::deque<MatchedRows> waiting_;  // the first one is being stored
  std::vector<MatchedRows> free_;    // with their memory
  Status status_;
  bool is_over_ = false;
};

}  // namespace meridian
