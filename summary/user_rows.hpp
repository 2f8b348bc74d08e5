// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on user events.

#include <cstdint>
#include <string>

#include "trace/format/table_column.hpp"

namespace meridian {

/// A user region, over all ranks and threads.
struct RegionSummary {
  std::string name;
  std::uint64_t count = 0;
  double total_s = 0;           ///< inclusive; recursive regions count once
  double exclusive_s = 0;       ///< without nested regions
  double mpi_s = 0;             ///< the part of the total in MPI calls of the same thread
  double min_s = 0, max_s = 0;  ///< of a single execution, inclusive

  template <class Row = RegionSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name"),
      column<&Row::count>("count"),
      column<&Row::total_s>("total_s", "s"),
      column<&Row::exclusive_s>("exclusive_s", "s"),
      column<&Row::mpi_s>("mpi_s", "s"),
      column<&Row::min_s>("min_s", "s"),
      column<&Row::max_s>("max_s", "s"),
  };
};

/// Any other user event, over all ranks.
struct UserEventSummary {
  std::string kind;  ///< "marker", "event", "counter", "send", "receive"
  std::string level;
  std::string name;
  std::uint64_t count = 0;
  double min = 0, mean = 0, max = 0, last = 0;  ///< of a counter's values; last: at the latest time

  template <class Row = UserEventSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::kind>("kind"),   column<&Row::level>("level"), column<&Row::name>("name"),
      column<&Row::count>("count"), column<&Row::min>("min"),     column<&Row::mean>("mean"),
      column<&Row::max>("max"),     column<&Row::last>("last"),
  };
};

}  // namespace meridian
