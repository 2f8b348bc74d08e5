// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on the critical path of a run and on the active paths of its threads: docs/CRITICAL_PATH.md.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// A part of the critical path: one thread in one function, place, region and state. All parts add up to the run.
struct CriticalPathSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::string function;  ///< empty: outside of recorded calls
  std::string place;
  std::string region;
  std::string state;
  std::uint64_t segments = 0;
  double total_s = 0;
  double share = 0;

  template <class Row = CriticalPathSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "number in its rank"),
      column<&Row::function>("function", "", "in which the path was; empty: outside of recorded calls"),
      column<&Row::place>("place", "",
                          "of the call: function, then source file and line or module and offset; empty: unknown"),
      column<&Row::region>("region", "", "innermost one; empty: none"),
      column<&Row::state>("state", "", "as in states; unknown also where the thread had not begun"),
      column<&Row::segments>("segments", "", "stretches of the path"),
      column<&Row::total_s>("total_s", "s", "time on the path"),
      column<&Row::share>("share", "", "of the path, which is as long as the run"),
  };
};

/// What the path loses by imbalance in one function, place, region and state, over all threads.
struct CriticalImbalanceSummary {
  std::string function;
  std::string place;
  std::string region;
  std::string state;
  double path_s = 0;
  double mean_s = 0;
  double imbalance_s = 0;

  template <class Row = CriticalImbalanceSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function", "", "as in critical_path"),
      column<&Row::place>("place", "", "as in critical_path"),
      column<&Row::region>("region", "", "as in critical_path"),
      column<&Row::state>("state", "", "as in critical_path"),
      column<&Row::path_s>("path_s", "s", "time on the path, of whichever threads"),
      column<&Row::mean_s>("mean_s", "s", "time of a thread in it, on the path or not; mean of all threads"),
      column<&Row::imbalance_s>("imbalance_s", "s", "path_s - mean_s: about what a perfect balance would save"),
  };
};

/// A long stretch of the path in one function, place, region and state.
struct CriticalSegmentSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  double begin_s = 0;
  double duration_s = 0;
  std::string function;
  std::string place;
  std::string region;
  std::string state;

  template <class Row = CriticalSegmentSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "number in its rank"),
      column<&Row::begin_s>("begin_s", "s", "relative to the first event of the run"),
      column<&Row::duration_s>("duration_s", "s", "its length"),
      column<&Row::function>("function", "", "as in critical_path"),
      column<&Row::place>("place", "", "as in critical_path"),
      column<&Row::region>("region", "", "as in critical_path"),
      column<&Row::state>("state", "", "as in critical_path"),
  };
};

/// The path as a line from thread to thread, for drawing.
struct CriticalLineSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  template <class Row = CriticalLineSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "number in its rank"),
      column<&Row::begin_ns>("begin_ns", "ns", "global time at which the path comes to the thread"),
      column<&Row::end_ns>("end_ns", "ns", "and leaves it: the begin of the next row"),
  };
};

/// The part of a thread's active path that lies on a thread.
struct ActivePathSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::int32_t on_rank = 0;
  std::uint32_t on_thread = 0;
  double total_s = 0;
  double share = 0;

  template <class Row = ActivePathSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "whose path it is"),
      column<&Row::thread>("thread", "", "the same"),
      column<&Row::on_rank>("on_rank", "", "that worked for it; -1: several, beyond the number of rows that are kept"),
      column<&Row::on_thread>("on_thread", "", "the same"),
      column<&Row::total_s>("total_s", "s", "for how long"),
      column<&Row::share>("share", "", "of the thread's path"),
  };
};

}  // namespace meridian
