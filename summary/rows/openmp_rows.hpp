// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the table on OpenMP's parallel regions: docs/OPENMP.md.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// The parallel regions of one rank that begin at one place.
struct OpenmpRegionSummary {
  std::int32_t rank = 0;
  std::string function;  ///< that contains the region
  std::string place;     ///< function, then source file and line or module and offset; empty: unknown
  std::uint64_t regions = 0;
  std::uint64_t shares = 0;  ///< regions times threads of their teams
  double time_s = 0;         ///< of the regions, by their masters
  double share_s = 0;        ///< of all shares, without waits at barriers
  double barrier_s = 0;      ///< waits of all threads at barriers of the team
  double lost_s = 0;         ///< barrier_s divided by the threads of a team
  std::int64_t slowest = -1;
  double slowest_s = 0;
  double serial_s = 0;

  template <class Row = OpenmpRegionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::function>("function", "", "that contains the region; empty: unknown"),
      column<&Row::place>("place", "", "function, then source file and line or module and offset; empty: unknown"),
      column<&Row::regions>("regions", "", "how often it was executed"),
      column<&Row::shares>("shares", "", "of threads in them: regions times threads"),
      column<&Row::time_s>("time_s", "s", "length of the regions, from fork to join"),
      column<&Row::share_s>("share_s", "s", "in the shares of all threads, without waits at barriers"),
      column<&Row::barrier_s>("barrier_s", "s",
                              "waits of all threads for the last one at barriers, implicit and explicit"),
      column<&Row::lost_s>("lost_s", "s", "the same, divided by the threads of a team: what the rank loses"),
      column<&Row::slowest>("slowest", "", "thread with the longest shares; -1: none"),
      column<&Row::slowest_s>("slowest_s", "s", "its shares, without waits at barriers"),
      column<&Row::serial_s>("serial_s", "s", "of the masters, from the end of their last region to these"),
  };
};

}  // namespace meridian
