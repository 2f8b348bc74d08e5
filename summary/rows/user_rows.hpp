// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on user events.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

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
      column<&Row::name>("name", "", "as in MERIDIAN_REGION(name)"),
      column<&Row::count>("count", "", "number of times it began, over all ranks and threads"),
      column<&Row::total_s>("total_s", "s", "inclusive; recursive regions count once"),
      column<&Row::exclusive_s>("exclusive_s", "s", "without the regions inside"),
      column<&Row::mpi_s>("mpi_s", "s", "part of total_s in MPI calls of the same thread"),
      column<&Row::min_s>("min_s", "s", "shortest execution, inclusive"),
      column<&Row::max_s>("max_s", "s", "longest execution, inclusive"),
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
      column<&Row::kind>("kind", "", "marker, event, counter, send, receive"),
      column<&Row::level>("level", "", "as the program named it"),
      column<&Row::name>("name", "", "of the event"),
      column<&Row::count>("count", "", "how often, over all ranks"),
      column<&Row::min>("min", "", "of a counter's values"),
      column<&Row::mean>("mean", "", "of a counter's values"),
      column<&Row::max>("max", "", "of a counter's values"),
      column<&Row::last>("last", "", "a counter's value at the latest time"),
  };
};

}  // namespace meridian
