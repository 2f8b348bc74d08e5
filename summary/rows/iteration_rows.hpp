// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on the iterations of a program: docs/PHASES.md.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// A stretch of the run that repeats itself.
struct PhaseSummary {
  std::string function;  ///< its calls begin the iterations; a user region, or a function of MPI
  std::string place;     ///< of these calls: function, then source file and line or module and offset; empty: unknown
  std::uint64_t iterations = 0;
  double begin_s = 0;
  double end_s = 0;
  double calls = 0;
  double mean_s = 0;
  double sd_s = 0;
  double min_s = 0;
  double max_s = 0;
  double compute_s = 0;
  std::string unit;  ///< "iteration"; "instance": of a user region, from its begin to its end

  template <class Row = PhaseSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function", "", "whose calls begin the iterations: a user region, or a function of MPI"),
      column<&Row::place>("place", "",
                          "of these calls: function, then source file and line or module and offset; empty: unknown"),
      column<&Row::iterations>("iterations", "", "of each rank, or instances"),
      column<&Row::begin_s>("begin_s", "s", "begin of the first one, relative to the first event of the run"),
      column<&Row::end_s>("end_s", "s", "end of the last one"),
      column<&Row::calls>("calls", "", "recorded calls and events of a rank in an iteration, mean"),
      column<&Row::mean_s>("mean_s", "s", "mean length of an iteration of a rank"),
      column<&Row::sd_s>("sd_s", "s", "standard deviation of these lengths"),
      column<&Row::min_s>("min_s", "s", "the shortest one"),
      column<&Row::max_s>("max_s", "s", "the longest one"),
      column<&Row::compute_s>("compute_s", "s", "mean time outside MPI in an iteration of a rank"),
      column<&Row::unit>("unit", "", "iteration; instance: of a user region, from its begin to its end"),
  };
};

/// An iteration, or equally many consecutive ones.
struct IterationSummary {
  std::uint64_t phase = 0;
  std::uint64_t iteration = 0;
  std::uint64_t count = 0;
  double begin_s = 0;
  double mean_s = 0;
  double compute_s = 0;
  std::int32_t slowest = 0;
  double slowest_s = 0;

  template <class Row = IterationSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::phase>("phase", "", "row of phases, from 0 on"),
      column<&Row::iteration>("iteration", "", "the first one of the row; iterations of a phase count from 1 on"),
      column<&Row::count>("count", "", "iterations in the row, of each rank"),
      column<&Row::begin_s>("begin_s", "s", "when the first rank begins it, relative to the first event of the run"),
      column<&Row::mean_s>("mean_s", "s", "mean length of an iteration, over the ranks"),
      column<&Row::compute_s>("compute_s", "s", "mean time outside MPI in an iteration, over the ranks"),
      column<&Row::slowest>("slowest", "", "rank with the longest time outside MPI"),
      column<&Row::slowest_s>("slowest_s", "s", "that time of an iteration"),
  };
};

/// An outlier or a drift.
struct IterationFindingSummary {
  std::uint64_t phase = 0;
  std::string kind;  ///< "slow iteration", "slow in MPI", "step", "trend"
  std::uint64_t iteration = 0;
  std::int32_t rank = -1;
  double before_s = 0;
  double after_s = 0;
  double cost_s = 0;
  std::string text{};
  std::string function{};
  std::string place{};

  template <class Row = IterationFindingSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::phase>("phase", "", "row of phases, from 0 on"),
      column<&Row::kind>("kind", "", "slow iteration, slow in MPI, step or trend: docs/PHASES.md defines them"),
      column<&Row::iteration>("iteration", "", "the slow one, or the first one after the step"),
      column<&Row::rank>("rank", "", "that computes longer; -1: most, or none"),
      column<&Row::before_s>("before_s", "s", "of an iteration: usually, before the step, or where the trend begins"),
      column<&Row::after_s>("after_s", "s", "of the slow iteration, after the step, or where the trend ends"),
      column<&Row::cost_s>("cost_s", "s", "time of all ranks that is lost"),
      column<&Row::text>("text", "", "the same in a sentence"),
      column<&Row::function>("function", "",
                             "of the program, in which most of the additional time is, by samples; empty: unknown")
          .optional(),
      column<&Row::place>("place", "", "its line with most samples in these iterations").optional(),
  };
};

}  // namespace meridian
