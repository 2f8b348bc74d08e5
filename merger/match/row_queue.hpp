// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "merger/match/match.hpp"
#include "merger/model/event_row.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Collects rows to pass them on in bulk. Rows of one rank with equal times may arrive in any order of threads and
/// leave sorted.
class RowQueue {
 public:
  explicit RowQueue(const RowSink& sink) : sink_{&sink} {}

  void push(const EventRow& row) {
    rows_.push_back(row);
    if (rows_.size() > 1 && is_misplaced(rows_.size() - 1)) [[unlikely]]
      for (std::size_t at = rows_.size() - 1; at > 0 && is_misplaced(at); --at) std::swap(rows_[at - 1], rows_[at]);
  }

  /// Passes on all rows except those that may still get a predecessor.
  Status drain() {
    std::size_t kept = 0;
    while (kept < rows_.size() && is_tied(rows_[rows_.size() - 1 - kept], rows_.back())) ++kept;
    return hand_on(rows_.size() - kept);
  }
  Status flush() { return hand_on(rows_.size()); }

 private:
  static bool is_tied(const EventRow& a, const EventRow& b) noexcept {
    return a.enter_ns == b.enter_ns && a.rank == b.rank;
  }
  bool is_misplaced(std::size_t at) const noexcept {
    return is_tied(rows_[at - 1], rows_[at]) && rows_[at - 1].thread > rows_[at].thread;
  }
  Status hand_on(std::size_t count) {
    if (count == 0) return {};
    MERIDIAN_TRY_DO((*sink_)(std::span<const EventRow>{rows_}.first(count)));
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
    return {};
  }

  const RowSink* sink_;
  std::vector<EventRow> rows_;
};

}  // namespace meridian
