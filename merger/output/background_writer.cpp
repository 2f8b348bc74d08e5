// SPDX-License-Identifier: Apache-2.0
#include "merger/output/background_writer.hpp"

#include <new>
#include <system_error>
#include <utility>

namespace meridian {

void MatchedRows::clear() noexcept {
  sites.clear();
  events.clear();
  messages.clear();
  parts.clear();
  awaited.clear();
}

BackgroundWriter::BackgroundWriter(Store store, bool has_thread) : store_{std::move(store)}, has_thread_{has_thread} {}

BackgroundWriter::~BackgroundWriter() {
  {
    const std::scoped_lock lock{mutex_};
    is_over_ = true;
  }
  has_changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status BackgroundWriter::store_rows(const MatchedRows& rows) const {
  try {
    return store_(rows);
  } catch (const std::bad_alloc&) {  // must not leave the thread
    return Error{Errc::io, "out of memory", "close other programs, or use a larger machine"};
  }
}

void BackgroundWriter::work() {
  std::unique_lock lock{mutex_};
  while (true) {
    has_changed_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    if (is_over_) return;
    const MatchedRows& rows = waiting_.front();  // stays there: elements do not move
    const bool is_needed = bool{status_};
    lock.unlock();
    Status status = is_needed ? store_rows(rows) : Status{};
    lock.lock();
    if (!status) status_ = std::move(status);
    waiting_.front().clear();
    free_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    has_changed_.notify_all();
  }
}

Status BackgroundWriter::submit() {
  if (has_thread_ && !thread_.joinable()) {
    try {
      thread_ = std::thread{[this] { work(); }};
    } catch (const std::system_error&) {  // the limit on threads is reached
      has_thread_ = false;
    }
  }
  if (!has_thread_) {
    const Status status = store_rows(rows_);
    rows_.clear();
    return status;
  }
  std::unique_lock lock{mutex_};
  has_changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting; });
  if (!status_) return status_;
  waiting_.push_back(std::move(rows_));
  rows_ = {};
  if (!free_.empty()) {
    rows_ = std::move(free_.back());
    free_.pop_back();
  }
  has_changed_.notify_all();
  return {};
}

Status BackgroundWriter::hand_over() { return rows_.events.size() < kEnough ? Status{} : submit(); }

Status BackgroundWriter::finish() {
  MERIDIAN_TRY_DO(submit());
  std::unique_lock lock{mutex_};
  has_changed_.wait(lock, [this] { return waiting_.empty(); });
  return status_;
}

}  // namespace meridian
