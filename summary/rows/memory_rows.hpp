// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the table on the memory of processes: docs/MEMORY.md.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// The memory of a process from MPI_Init to the end of MPI_Finalize.
struct RankMemorySummary {
  std::int32_t rank = 0;
  std::uint64_t begin_bytes = 0;
  std::uint64_t end_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t swapped_bytes = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t growth_bytes = 0;  ///< 0: no steady growth
  double growth_s = 0;             ///< time in which it grew by that
  std::string iteration;           ///< what is repeated meanwhile; empty: unknown
  std::uint64_t iterations = 0;
  double iteration_bytes = 0;
  std::string region;  ///< of the user, in which it grows; empty: unknown

  template <class Row = RankMemorySummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::begin_bytes>("begin_bytes", "bytes", "resident at the first reading, in MPI_Init"),
      column<&Row::end_bytes>("end_bytes", "bytes", "resident at the last reading, in MPI_Finalize"),
      column<&Row::peak_bytes>("peak_bytes", "bytes", "most that was resident since the process began"),
      column<&Row::swapped_bytes>("swapped_bytes", "bytes", "most that was in swap space at one time"),
      column<&Row::minor_faults>("minor_faults", "", "page faults without I/O between these readings"),
      column<&Row::major_faults>("major_faults", "", "page faults with I/O between these readings"),
      column<&Row::growth_bytes>("growth_bytes", "bytes",
                                 "by which resident memory grew steadily in growth_s; 0: it did not"),
      column<&Row::growth_s>("growth_s", "s", "time in which it grew by growth_bytes: most of the run"),
      column<&Row::iteration>("iteration", "",
                              "region of the program, or function of MPI, that is repeated in growth_s; empty: none"),
      column<&Row::iterations>("iterations", "", "number of these in growth_s"),
      column<&Row::iteration_bytes>("iteration_bytes", "bytes", "growth_bytes / iterations"),
      column<&Row::region>("region", "", "innermost region of the program with the growth; empty: not known"),
  };
};

}  // namespace meridian
