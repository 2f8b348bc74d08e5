// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "merger/match/row_queue.hpp"
#include "merger/model/event_row.hpp"
#include "trace/containers/sort_rows.hpp"

namespace meridian {

/// Rows of one slice of time: they come rank by rank, and leave in global order.
class SliceRows {
 public:
  void push(const EventRow& row) {
    order_.push_back({static_cast<std::uint64_t>(row.enter_ns) ^ kSign, static_cast<std::uint32_t>(rows_.size())});
    rows_.push_back(row);
  }

  /// Passes on the rows of calls that began before `next_ns`.
  void pass_on(std::int64_t next_ns, RowQueue& queue) {
    sorter_.sort(order_);
    std::size_t done = 0;
    while (done < order_.size() && rows_[order_[done].row].enter_ns < next_ns) {
      const std::size_t end = end_of_tie(done);
      if (end - done > 1)
        std::stable_sort(at(done), at(end),
                         [&](const Place& a, const Place& b) { return rows_[a.row].rank < rows_[b.row].rank; });
      for (; done < end; ++done) queue.push(rows_[order_[done].row]);
    }
    keep_from(done);
  }

 private:
  static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;  // keys in the order of signed times
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t row = 0;
  };

  std::vector<Place>::iterator at(std::size_t place) { return order_.begin() + static_cast<std::ptrdiff_t>(place); }
  std::size_t end_of_tie(std::size_t first) const noexcept {
    std::size_t end = first + 1;
    while (end < order_.size() && order_[end].key == order_[first].key) ++end;
    return end;
  }
  void keep_from(std::size_t done) {
    kept_.clear();
    std::ranges::sort(at(done), order_.end(), {}, &Place::row);  // in the order in which they came
    for (; done < order_.size(); ++done) kept_.push_back(rows_[order_[done].row]);
    rows_.clear();
    order_.clear();
    for (const EventRow& row : kept_) push(row);
  }

  std::vector<EventRow> rows_, kept_;
  std::vector<Place> order_;
  RowSorter<Place> sorter_;
};

}  // namespace meridian
