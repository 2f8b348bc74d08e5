// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on counters.

#include <cstdint>
#include <string>

#include "trace/format/table_column.hpp"

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
      column<&Row::rank>("rank"), column<&Row::name>("name"),       column<&Row::unit>("unit"),
      column<&Row::mpi>("mpi"),   column<&Row::compute>("compute"),
  };
};

/// The values of one counter in the calls of one function, over all ranks.
struct FunctionCounterSummary {
  std::string function;
  std::string counter;
  std::int64_t total = 0;

  template <class Row = FunctionCounterSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function"),
      column<&Row::counter>("counter"),
      column<&Row::total>("total"),
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
      column<&Row::rank>("rank"),
      column<&Row::part>("part"),
      column<&Row::name>("name"),
      column<&Row::value>("value"),
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
      column<&Row::region>("region"), column<&Row::counter>("counter"),     column<&Row::unit>("unit"),
      column<&Row::total>("total"),   column<&Row::exclusive>("exclusive"), column<&Row::compute>("compute"),
      column<&Row::mpi>("mpi"),
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
      column<&Row::region>("region"),
      column<&Row::part>("part"),
      column<&Row::name>("name"),
      column<&Row::value>("value"),
  };
};

}  // namespace meridian
