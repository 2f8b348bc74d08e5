// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on counters.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// The values of one counter on one rank, over all its threads. A thread counts from its first call to its last.
struct CounterSummary {
  std::int32_t rank = 0;
  std::string name;          ///< "PAPI_TOT_INS"
  std::string unit;          ///< "1", "us"
  std::int64_t mpi = 0;      ///< in MPI calls
  std::int64_t compute = 0;  ///< outside of them

  template <class Row = CounterSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::name>("name", "", "PAPI_TOT_INS"),
      column<&Row::unit>("unit", "", "1 (a count) or us"),
      column<&Row::mpi>("mpi", "", "counted in MPI calls, over all threads of the rank"),
      column<&Row::compute>("compute", "", "counted outside of them, from each thread's first event to its last"),
  };
};

/// The values of one counter in the calls of one function, over all ranks.
struct FunctionCounterSummary {
  std::string function;
  std::string counter;
  std::int64_t total = 0;

  template <class Row = FunctionCounterSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function", "", "of MPI or of threads"),
      column<&Row::counter>("counter", "", "name of the counter"),
      column<&Row::total>("total", "", "counted in its calls, over all ranks"),
  };
};

/// A metric derived from counters and time: a row of merger/statistics/metrics.def, or the rate of a counter.
struct MetricSummary {
  std::int32_t rank = -1;  ///< -1: all ranks together
  std::string part;        ///< "mpi", "compute"
  std::string name;        ///< "instructions per cycle", "PAPI_TOT_INS per second"
  double value = 0;

  template <class Row = MetricSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "-1: all together"),
      column<&Row::part>("part", "", "compute: outside MPI; mpi: in it"),
      column<&Row::name>("name", "", "NAME per second of each counter, or a ratio of two"),
      column<&Row::value>("value", "", "the figure"),
  };
};

/// The values of one counter in one region of the program, over all ranks and threads.
struct RegionCounterSummary {
  std::string region;
  std::string counter;
  std::string unit;
  std::int64_t total = 0;      ///< recursive regions count once
  std::int64_t exclusive = 0;  ///< without nested regions
  std::int64_t compute = 0;    ///< the part of the total outside MPI calls
  std::int64_t mpi = 0;        ///< the part of the total in MPI calls

  template <class Row = RegionCounterSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::region>("region", "", "name"),
      column<&Row::counter>("counter", "", "name of the counter"),
      column<&Row::unit>("unit", "", "1 (a count) or us"),
      column<&Row::total>("total", "", "counted while the region was open; recursive regions count once"),
      column<&Row::exclusive>("exclusive", "", "without the regions inside"),
      column<&Row::compute>("compute", "", "of the total, outside MPI calls"),
      column<&Row::mpi>("mpi", "", "of the total, in MPI calls"),
  };
};

/// A metric of a region over all ranks; see MetricSummary.
struct RegionMetricSummary {
  std::string region;
  std::string part;  ///< "mpi", "compute"
  std::string name;
  double value = 0;

  template <class Row = RegionMetricSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::region>("region", "", "name"),
      column<&Row::part>("part", "", "compute: outside MPI; mpi: in it"),
      column<&Row::name>("name", "", "NAME per second of each counter, or a ratio of two"),
      column<&Row::value>("value", "", "the figure"),
  };
};

}  // namespace meridian
