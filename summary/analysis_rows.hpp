// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables that analyses fill, each with the type of its rows.

#include <cstdint>
#include <string>

#include "trace/format/table_column.hpp"

/// name      of the table, and of the member of Summary, a vector of rows
/// Row       their type
/// heading   of the section in the text; there is none where the table is empty. Null: cli/summary/ has its own section
/// text      what its rows are
// clang-format off
#define MERIDIAN_ANALYSIS_TABLES(TABLE) \
  TABLE(communication_sizes, SizeSummary, "SIZES OF MESSAGES AND COLLECTIVES", "one row for each group of functions and range of sizes") \
  TABLE(waits, WaitSummary, nullptr, "one row for each kind of wait, waiting rank, function and place, and rank, function and place that caused it, longest total first")
// clang-format on

namespace meridian {

/// Messages, or participants of collectives, in one range of sizes: from at_least_bytes to below twice that. By group and
/// size; empty ranges are omitted.
struct SizeSummary {
  std::string group;                 ///< group of the functions that sent
  std::uint64_t at_least_bytes = 0;  ///< 0: no bytes
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< for collectives, the bytes that the participants sent

  template <class Row = SizeSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::group>("group", "", "of the functions that sent: p2p, coll, user"),
      column<&Row::at_least_bytes>("at_least_bytes", "bytes",
                                   "least size of the range, which ends below twice that; 0: no bytes"),
      column<&Row::count>("count", "", "messages, or participants of collectives"),
      column<&Row::bytes>("bytes", "bytes", "sum of their sizes; of collectives, what the participants sent"),
  };
};

/// Waits of one kind in one place, with one cause.
struct WaitSummary {
  std::string pattern;    ///< "late sender": docs/WAITS.md defines them
  std::int32_t rank = 0;  ///< the one that waited
  std::string function;
  std::string place;             ///< source file and line of the call, or module and offset; empty: unknown
  std::int32_t causer = -1;      ///< the rank that came last; -1: several, beyond the number of rows that are kept
  std::string causer_function;   ///< the call in which it came
  std::string causer_place;      ///< as place
  std::uint64_t count = 0;       ///< waits
  std::uint64_t unresolved = 0;  ///< further ones that are shorter than the bounds of the two clocks, not in total_s
  double total_s = 0;
  double longest_s = 0;

  template <class Row = WaitSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::pattern>("pattern", "", "kind of wait, as docs/WAITS.md defines it"),
      column<&Row::rank>("rank", "", "that waited, in MPI_COMM_WORLD"),
      column<&Row::function>("function", "", "in which it waited"),
      column<&Row::place>("place", "", "source file and line of that call, or module and offset; empty: unknown"),
      column<&Row::causer>("causer", "", "rank that came last; -1: several, beyond the number of rows that are kept"),
      column<&Row::causer_function>("causer_function", "", "in which it came"),
      column<&Row::causer_place>("causer_place", "", "source file and line of that call, or module and offset"),
      column<&Row::count>("count", "", "waits"),
      column<&Row::unresolved>("unresolved", "",
                               "further waits that are shorter than the bounds of the two clocks, not in the times"),
      column<&Row::total_s>("total_s", "s", "time waited"),
      column<&Row::longest_s>("longest_s", "s", "longest of the waits"),
  };
};

}  // namespace meridian
