// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on the energy of hosts: docs/ENERGY.md.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// What a zone of a host used.
struct EnergySummary {
  std::string host;
  std::string zone;
  std::string kind;
  bool is_added = false;
  double begin_s = 0;
  double time_s = 0;
  double joules = 0;
  double watts = 0;
  double inner_s = 0;
  double inner_joules = 0;

  template <class Row = EnergySummary>
  static constexpr auto kColumns = Columns{
      column<&Row::host>("host", "", "whose energy it is"),
      column<&Row::zone>("zone", "", "package-0, package-0/dram: as the kernel names it"),
      column<&Row::kind>("kind", "", "package, part (of a package), platform (the whole computer), socket, sensor"),
      column<&Row::is_added>("is_added", "", "the energy of the host is the sum of such zones"),
      column<&Row::begin_s>("begin_s", "s", "first reading, in MPI_Init, relative to the first event of the run"),
      column<&Row::time_s>("time_s", "s", "from the first reading to the last one, in MPI_Finalize"),
      column<&Row::joules>("joules", "J", "used in time_s"),
      column<&Row::watts>("watts", "W", "joules / time_s"),
      column<&Row::inner_s>(
          "inner_s", "s",
          "of time_s the part between MPI_Init and MPI_Finalize of the ranks of the host; of a profile all"),
      column<&Row::inner_joules>("inner_joules", "J", "used in inner_s"),
  };
};

/// What a host used while its ranks were in a user region that is in no other one.
struct RegionEnergySummary {
  std::string host;
  std::string region;
  std::uint64_t count = 0;
  double time_s = 0;
  double joules = 0;
  double watts = 0;

  template <class Row = RegionEnergySummary>
  static constexpr auto kColumns = Columns{
      column<&Row::host>("host", "", "whose energy it is"),
      column<&Row::region>("region", "", "of the program, in no other region"),
      column<&Row::count>("count", "", "instances, over the first threads of the ranks of the host"),
      column<&Row::time_s>("time_s", "s", "of these"),
      column<&Row::joules>("joules", "J",
                           "used in them: at each time, each rank has an equal share of the host's energy"),
      column<&Row::watts>("watts", "W", "mean power of the host in that time"),
  };
};

/// What a host used during the iterations of a phase.
struct PhaseEnergySummary {
  std::uint64_t phase = 0;
  std::string host;
  double joules = 0;
  double iteration_joules = 0;
  double watts = 0;

  template <class Row = PhaseEnergySummary>
  static constexpr auto kColumns = Columns{
      column<&Row::phase>("phase", "", "row of phases, from 0 on"),
      column<&Row::host>("host", "", "whose energy it is"),
      column<&Row::joules>("joules", "J", "used from the begin of the first iteration to the end of the last one"),
      column<&Row::iteration_joules>("iteration_joules", "J", "joules / iterations"),
      column<&Row::watts>("watts", "W", "mean power of the host in that time"),
  };
};

}  // namespace meridian
