// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runs in a folder in the order of time: `meridian compare --history`.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/summary/text/text.hpp"
#include "summary/compare/run_profile.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// A run, and how it differs from the last one before it of the same program and number of ranks. NaN: undefined.
struct HistoryRow {
  std::string source;
  std::string executable;
  std::int64_t begin_realtime_ns = 0;
  std::string begin;
  double ranks = 0;
  double time_s = 0;
  double time_ratio = 0;
  double parallel_efficiency = 0;
  double load_balance = 0;
  double communication_efficiency = 0;
  double mpi_share = 0;
  std::string largest_change;  ///< a function, region or state; empty: none, or no run before
  double largest_change_s = 0;

  template <class Row = HistoryRow>
  static constexpr auto kColumns = Columns{
      column<&Row::source>("source", "", "path of the merged file"),
      column<&Row::executable>("executable", "", "of the program"),
      column<&Row::begin_realtime_ns>("begin_realtime_ns", "ns", "first event, since 1970-01-01 UTC"),
      column<&Row::begin>("begin", "", "the same as text; empty: unknown"),
      column<&Row::ranks>("ranks", "", "in the trace"),
      column<&Row::time_s>("time_s", "s", "from the first event to the last"),
      column<&Row::time_ratio>("time_ratio", "",
                               "time_s / that of the last run before with the same program and number of ranks"),
      column<&Row::parallel_efficiency>("parallel_efficiency", "", "of the run"),
      column<&Row::load_balance>("load_balance", "", "of the run"),
      column<&Row::communication_efficiency>("communication_efficiency", "", "of the run"),
      column<&Row::mpi_share>("mpi_share", "", "of the run"),
      column<&Row::largest_change>("largest_change", "", "function, region or state that changed most since that run"),
      column<&Row::largest_change_s>("largest_change_s", "s", "by how much, a rank"),
  };
};

struct History {
  std::vector<HistoryRow> rows;      ///< by time
  std::vector<std::string> skipped;  ///< a sentence for each file that cannot be read
  std::size_t unmerged = 0;          ///< directories with a trace that has not been merged
};

/// Each run with the last one before it; `skipped` and `unmerged` remain empty.
History make_history(std::vector<RunProfile> runs);

std::string history_text(const History& history, const Paint& paint);
std::string history_json(const History& history);
std::string history_csv(const History& history);

}  // namespace meridian
