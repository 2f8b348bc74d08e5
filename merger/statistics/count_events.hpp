// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "merger/model/findings.hpp"
#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "merger/statistics/region_counters.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The counters of some calls of one thread, in its order: those of call i begin at values[i * counters], in the order
/// of CounterTotals::names; 0 for a counter that only other ranks have.
struct CounterRows {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::vector<std::uint64_t> sequence;  ///< of the call in its thread
  std::vector<std::int64_t> value;      ///< increase in the call
  std::vector<std::int64_t> between;    ///< increase since the thread's previous counted call
};
using CounterSink = std::function<Status(const CounterRows&)>;

struct CounterTotals {
  struct Sums {
    bool is_counted = false;  ///< by this rank
    std::int64_t total = 0;   ///< from each thread's first counted call to its last
    std::int64_t mpi = 0;     ///< in MPI calls
  };
  std::vector<std::string> names, units;             ///< of all ranks, without duplicates
  std::vector<std::vector<Sums>> ranks;              ///< [Summary::ranks][names]
  std::vector<std::vector<std::int64_t>> functions;  ///< [calls of the trace][names]; empty: no counted calls
  std::vector<RegionCounters::Sums> regions;         ///< [UserDefinitions::list]
};

/// Names and units of the ranks' counters.
CounterTotals name_counters(const Trace& trace);

/// Adds up counters by rank, function and region, and passes those of every call to `sink`, thread by thread. Rank
/// files without counters are not read. Calls without counters in a rank with counters, and ranks with other counters
/// than the first, become findings.
Status count_events(const Trace& trace, CounterTotals& totals, const CounterSink& sink, Findings& findings);

/// Fills in the counters of the summary, whose ranks and regions must be filled in.
void summarize_counters(const Trace& trace, const CounterTotals& totals, Summary& summary);

}  // namespace meridian
