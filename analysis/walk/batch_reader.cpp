// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/batch_reader.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include "trace/format/tables/h5.hpp"

namespace meridian {

bool BatchReader::can_have_thread() { return std::thread::hardware_concurrency() > 1 && h5::has_thread_safety(); }

BatchReader::~BatchReader() {
  {
    const std::scoped_lock lock{mutex_};
    is_over_ = true;
  }
  has_changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<bool> BatchReader::read(Batch& batch) {
  try {
    MERIDIAN_TRY(const bool has_events, cursor_.next(batch.batch));
    batch.events.clear();
    batch.events.reserve(batch.batch.events.size());
    for (const MergedEvent& event : batch.batch.events) batch.events.push_back(WindowEvent::of(event));
    if (has_events && batch.events.front().row > batch.events.back().row) std::ranges::reverse(batch.events);
    return has_events;
  } catch (const std::bad_alloc&) {  // must not leave the thread
    return Error{Errc::io, "out of memory", "close other programs, or use a larger machine"};
  }
}

void BatchReader::work() {
  const h5::Quiet quiet;  // each thread has a handler of its own
  std::unique_lock lock{mutex_};
  while (!is_at_end_) {
    has_changed_.wait(lock, [this] { return is_over_ || ahead_.size() < kMostAhead; });
    if (is_over_) return;
    Batch batch;
    if (!free_.empty()) {
      batch = std::move(free_.back());
      free_.pop_back();
    }
    lock.unlock();
    auto has_events = read(batch);
    lock.lock();
    is_at_end_ = !has_events || !*has_events;
    if (!has_events) status_ = std::move(has_events).error();
    if (!is_at_end_) ahead_.push_back(std::move(batch));
    has_changed_.notify_all();
  }
}

Result<bool> BatchReader::next(Batch& batch) {
  if (has_thread_ && !thread_.joinable()) {
    try {
      thread_ = std::thread{[this] { work(); }};
    } catch (const std::system_error&) {  // the limit on threads is reached
      has_thread_ = false;
    }
  }
  if (!has_thread_) return read(batch);
  std::unique_lock lock{mutex_};
  free_.push_back(std::move(batch));
  has_changed_.wait(lock, [this] { return is_at_end_ || !ahead_.empty(); });
  if (ahead_.empty()) {
    if (!status_) return status_.error();
    return false;
  }
  batch = std::move(ahead_.front());
  ahead_.pop_front();
  has_changed_.notify_all();
  return true;
}

}  // namespace meridian
