// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a program scales from one number of ranks to others, by the model of POP.

#include <span>
#include <string>
#include <vector>

#include "summary/compare/comparison.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// A group of runs against the first one. NaN: undefined. docs/COMPARE.md has the formulas.
struct ScalingRow {
  std::string label;
  double ranks = 0;
  double threads = 0;  ///< that computed at the same time, over all ranks
  double time_s = 0;   ///< between MPI_Init and MPI_Finalize
  double speedup = 0;
  double efficiency = 0;
  double parallel = 0;
  double computation = 0;
  double instructions = 0;
  double ipc = 0;
  double frequency = 0;
  double global = 0;

  template <class Row = ScalingRow>
  static constexpr auto kColumns = Columns{
      column<&Row::label>("label", "", "of the group"),
      column<&Row::ranks>("ranks", "", "in the trace"),
      column<&Row::threads>("threads", "", "that lived at the same time, over all ranks"),
      column<&Row::time_s>("time_s", "s", "between MPI_Init and MPI_Finalize"),
      column<&Row::speedup>("speedup", "", "time of the first group / time_s; with --weak times threads / its threads"),
      column<&Row::efficiency>("efficiency", "", "speedup / (threads / threads of the first group)"),
      column<&Row::parallel>("parallel", "", "parallel efficiency"),
      column<&Row::computation>("computation", "",
                                "computing of the first group / computing; with --weak each a thread"),
      column<&Row::instructions>("instructions", "",
                                 "instructions of the first group / instructions; with --weak each a thread"),
      column<&Row::ipc>("ipc", "", "instructions per cycle / those of the first group"),
      column<&Row::frequency>("frequency", "", "cycles per second of computing / those of the first group"),
      column<&Row::global>("global", "", "parallel * computation"),
  };
};

/// One row for each group, in their order.
std::vector<ScalingRow> scaling_of(std::span<const RunGroup> groups, bool is_weak);

/// Whether the groups have different numbers of ranks or threads.
bool have_several_scales(std::span<const RunGroup> groups);

}  // namespace meridian
