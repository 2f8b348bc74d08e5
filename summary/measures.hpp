// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measures derived from a summary: shares, balance, the slowest rank.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// Recorded time of the threads of a rank that call MPI, with MPI_Init and MPI_Finalize: their lives less the time for which recording was
/// switched off.
double thread_seconds(const RankSummary& rank);

struct RankLoad {
  const RankSummary* rank = nullptr;
  double mpi_share = 0;  ///< of the time of its threads that call MPI, without MPI_Init and MPI_Finalize
  double outside_s =
      0;  ///< time outside MPI, averaged over these threads, each over its life; with a processor, where known
  double slept_s = 0;  ///< of outside_s: neither running nor ready to; stopped, or waiting for what is not recorded
};

struct Load {
  std::vector<RankLoad> ranks;  ///< in the order of Summary::ranks
  double time_s = 0;            ///< of all threads that call MPI, without MPI_Init and MPI_Finalize
  double mpi_share = 0;         ///< of time_s
  double mean_outside_s = 0;
  double max_outside_s = 0;
  std::size_t slowest = 0;   ///< index of the rank with the most time outside MPI
  double balance = 1;        ///< mean / max of the time outside MPI; 1 is even
  bool knows_ready = false;  ///< it is known when threads had no processor
};

/// [rank]: the most of its threads that lived at the same time; at least 1.
std::map<std::int32_t, std::uint64_t> threads_at_once(const Summary& summary);

/// Without ranks: all zero, balance 1.
Load measure_load(const Summary& summary);

/// The load balance of the run: that of its efficiencies; without them, of the time outside MPI.
double load_balance(const Summary& summary, const Load& load);

/// The efficiencies of the run that sums over calls show: `communication` is not divided into serialisation and transfer, which
/// are NaN. Nothing without ranks.
std::vector<EfficiencySummary> efficiencies_of_sums(const Summary& summary);

/// What the processors of all hosts used between MPI_Init and MPI_Finalize.
struct Energy {
  std::size_t hosts = 0;  ///< whose energy is known
  double joules = 0;
  double watts = 0;  ///< the sum of the hosts' mean powers
};
Energy measure_energy(const Summary& summary);

/// "2025-01-31 12:00:00 UTC"; empty for a time outside the calendar.
std::string utc_time(std::int64_t realtime_ns);

/// Sum of a column.
template <class Row>
double sum_of(const std::vector<Row>& rows, double Row::*column) {
  double sum = 0;
  for (const Row& row : rows) sum += row.*column;
  return sum;
}

/// Number of findings (rows) of this severity.
std::size_t count_findings(const Summary& summary, Severity severity);

/// "info", "data_loss", "error"
const char* severity_name(Severity severity);

}  // namespace meridian
