// SPDX-License-Identifier: Apache-2.0
#pragma once

// The summary of a run: computed by the merger, stored in the merged file, printed as text, CSV and JSON. Times are in
// seconds unless the name has another unit. Each row type defines its columns beside its members, as a template that is
// instantiated only in summary_tables.cpp, which lists the tables.

#include <cstdint>
#include <vector>

#include "summary/finding.hpp"
#include "summary/rows/analysis_rows.hpp"
#include "summary/rows/call_rows.hpp"
#include "summary/rows/clock_rows.hpp"
#include "summary/rows/counter_rows.hpp"
#include "summary/rows/memory_rows.hpp"
#include "summary/rows/message_rows.hpp"
#include "summary/rows/run_rows.hpp"
#include "summary/rows/thread_rows.hpp"
#include "summary/rows/user_rows.hpp"

namespace meridian {

struct Summary {
  RunSummary run;
  std::vector<WorldSummary> worlds;  ///< empty if there is only one
  std::vector<RankSummary> ranks;
  std::vector<FunctionSummary> functions;            ///< by total time, longest first; ties by name
  std::vector<FunctionTimesSummary> function_times;  ///< in the order of `functions`
  std::vector<SiteSummary> sites;                    ///< by total time, longest first
  std::vector<PathSummary> paths;                    ///< likewise, the first thousand
  std::vector<PathFrameSummary> path_frames;         ///< by path, from the outermost frame on
  MessageSummary messages;
  std::vector<PairSummary> pairs;
  std::vector<ClockSummary> clocks;
  std::vector<ClockModelSummary> clock_models;  ///< empty if all ranks share one clock
  std::uint64_t reversed_before = 0;            ///< messages and collectives out of order before events were moved
  std::uint64_t reversed_after = 0;             ///< always 0 in a file that the merger wrote
  std::vector<RegionSummary> regions;           ///< by total time, longest first; ties by name
  std::vector<UserEventSummary> user_events;    ///< by level and name
  std::uint64_t user_messages = 0;              ///< matched ones of user layers; not in `messages`
  std::uint64_t user_message_bytes = 0;
  std::vector<PassedSummary> passed;  ///< by rank, then by count, largest first; ties by name
  std::vector<OverheadSummary> overhead;
  std::vector<CommSummary> communicators;       ///< by time, longest first; ties by name
  std::vector<WindowSummary> windows;           ///< the same
  std::vector<WindowLockSummary> window_locks;  ///< by window, target, then time held, longest first
  std::vector<FileSummary> files;               ///< the same
  std::vector<ContextSummary> context;
  std::vector<UsageSummary> usage;
  std::vector<RankMemorySummary> rank_memory;  ///< by rank; empty: not known
  std::vector<VariableSummary> environment;
  std::vector<CounterSummary> counters;
  std::vector<FunctionCounterSummary> function_counters;  ///< by function name, then in the order of the counters
  std::vector<MetricSummary> metrics;
  std::vector<RegionCounterSummary> region_counters;  ///< in the order of `regions`, then of the counters
  std::vector<RegionMetricSummary> region_metrics;
  std::vector<LockNameSummary> lock_names;
  std::vector<LockSummary> locks;      ///< by rank, then by wait time, longest first
  std::vector<ThreadSummary> threads;  ///< of ranks with more than one
  std::vector<Finding> findings;
#define MERIDIAN_TABLE(name, Row, heading, text) std::vector<Row> name;
  MERIDIAN_ANALYSIS_TABLES(MERIDIAN_TABLE)
#undef MERIDIAN_TABLE

  template <class All = Summary>
  static constexpr auto kReversedColumns = Columns{
      column<&All::reversed_before>("before", "", "out of order by the corrected clocks"),
      column<&All::reversed_after>("after", "", "out of order after the last pass"),
  };
  template <class All = Summary>
  static constexpr auto kUserMessageColumns = Columns{
      column<&All::user_messages>("matched", "", "messages of the program's own layers with both sides in the trace"),
      column<&All::user_message_bytes>("bytes", "bytes", "in them"),
  };
};

}  // namespace meridian
