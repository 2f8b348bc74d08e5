#pragma once

// What the printers derive from a summary: shares, balance, the rank that the others wait for.

#include <cstddef>
#include <vector>

#include "trace/format/summary.hpp"

namespace meridian {

struct RankLoad {
  const RankSummary* rank = nullptr;
  double mpi_share = 0;  ///< of the time of its threads that called MPI; 1 is all of it
  double outside_s = 0;  ///< time not in MPI, mean over its threads
};

struct Load {
  std::vector<RankLoad> ranks;  ///< as in Summary::ranks
  double mpi_share = 0;         ///< of all ranks' time
  double mean_outside_s = 0;
  double max_outside_s = 0;
  std::size_t slowest = 0;  ///< index of the rank that is longest outside MPI
  double balance = 1;       ///< mean / max of the time outside MPI; 1 is even
};

/// Without ranks: all zero, balance 1.
Load measure_load(const Summary& summary);

/// Seconds in MPI, over all ranks and threads.
double mpi_seconds(const Summary& summary);

/// Number of findings (rows) of this severity.
std::size_t count_findings(const Summary& summary, Severity severity);

/// "info", "data_loss", "error"
const char* severity_name(Severity severity);

}  // namespace meridian
