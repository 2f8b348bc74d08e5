// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

namespace meridian {

/// Counts, for each process, the most threads that lived at the same time. One that waits for the end of another one does
/// not count.
class ThreadCounts {
 public:
  explicit ThreadCounts(std::size_t processes) : alive_(processes), most_(processes) {}

  /// In order of time.
  void begin(std::size_t process, std::int64_t ns) {
    advance(ns);
    most_[process] = std::max(most_[process], ++alive_[process]);
  }
  void end_at(std::size_t process, std::int64_t ns) { changes_.push({ns, process, -1}); }
  /// The thread waits from now on until `leave_ns`.
  void join(std::size_t process, std::int64_t ns, std::int64_t leave_ns) {
    advance(ns);
    --alive_[process];
    changes_.push({leave_ns, process, 1});
  }
  std::uint64_t sum() {
    advance(INT64_MAX);
    std::uint64_t sum = 0;
    for (const std::int64_t most : most_) sum += static_cast<std::uint64_t>(most);
    return sum;
  }

 private:
  struct Change {
    std::int64_t ns = 0;
    std::size_t process = 0;
    std::int64_t by = 0;
    bool operator>(const Change& right) const { return ns != right.ns ? ns > right.ns : by > right.by; }
  };
  void advance(std::int64_t ns) {
    for (; !changes_.empty() && changes_.top().ns <= ns; changes_.pop()) {
      const Change& change = changes_.top();
      alive_[change.process] += change.by;
      most_[change.process] = std::max(most_[change.process], alive_[change.process]);
    }
  }

  std::vector<std::int64_t> alive_, most_;
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
};

}  // namespace meridian
