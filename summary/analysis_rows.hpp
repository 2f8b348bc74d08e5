// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables that analyses fill, each with the type of its rows.

#include <cstdint>
#include <string>

#include "trace/format/table_column.hpp"

/// name      of the table, and of the member of Summary, a vector of rows
/// Row       their type
/// heading   of the section in the text; there is none where the table is empty
/// text      what its rows are
// clang-format off
#define MERIDIAN_ANALYSIS_TABLES(TABLE) \
  TABLE(communication_sizes, SizeSummary, "SIZES OF MESSAGES AND COLLECTIVES", "one row for each group of functions and range of sizes")
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

}  // namespace meridian
