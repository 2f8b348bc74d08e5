#pragma once

#include <utility>
#include <vector>

#include "merger/event_row.hpp"
#include "merger/match.hpp"

namespace meridian {

/// Hands rows on in bulk. Rows of one rank with equal times may arrive in any order of threads and leave in the right
/// one.
class RowQueue {
 public:
  explicit RowQueue(const RowSink& sink) : sink_{&sink} { rows_.reserve(kRows); }

  Status push(const EventRow& row) {
    if (rows_.size() >= kRows && !is_tied(rows_.back(), row)) [[unlikely]]
      MERIDIAN_TRY_DO(flush());
    rows_.push_back(row);
    for (std::size_t at = rows_.size() - 1; at > 0 && is_tied(rows_[at - 1], row) && rows_[at - 1].thread > row.thread;
         --at)
      std::swap(rows_[at - 1], rows_[at]);
    return {};
  }

  Status flush() {
    if (rows_.empty()) return {};
    Status status = (*sink_)(rows_);
    rows_.clear();
    return status;
  }

 private:
  static constexpr std::size_t kRows = 4096;
  static bool is_tied(const EventRow& a, const EventRow& b) noexcept {
    return a.enter_ns == b.enter_ns && a.rank == b.rank;
  }

  const RowSink* sink_;
  std::vector<EventRow> rows_;
};

}  // namespace meridian
