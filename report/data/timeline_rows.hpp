// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/walk/location_states.hpp"
#include "merged/merged_trace.hpp"
#include "report/data/levels/row_levels.hpp"
#include "report/data/page_rows.hpp"
#include "report/data/page_timeline.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The rows of a page's timeline and the time that it shows.
struct TimelineRows {
  std::vector<LocationLife> lives;  ///< [location]
  std::vector<PageRow> rows;
  std::vector<std::uint32_t> row_of;  ///< [location]: its row; kNoRow: none
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 1;
  /// Where rows are groups: coarse bins of each of their threads, in the order of members().
  std::optional<RowLevels> profiles;

  std::size_t threads() const;
  /// Threads of the groups, group by group; profiles has a row for each.
  std::vector<std::uint32_t> members() const;
  /// [location]: its row if the row is named after it; otherwise kNoRow
  std::vector<std::uint32_t> named_rows() const;
};

/// One row a thread; if there are more than the budget has rows, a walk over the trace finds groups of similar ones.
/// Threads with the longest waits, and those that they waited for, have rows of their own.
/// errors  damaged; io
Result<TimelineRows> find_timeline_rows(const MergedTrace& trace, const Summary& summary, const PageBudget& budget,
                                        const PageProgress& progress);

}  // namespace meridian
