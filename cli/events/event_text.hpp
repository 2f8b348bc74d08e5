// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/summary/table.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// "0.001234567": seconds with all digits.
std::string moment_text(std::int64_t ns);

/// Columns that show an event: call, start, duration, function, peer, tag, bytes, and its place if there is room.
std::vector<Table::Column> event_text_columns();
/// fields  the values of a user event, which follow its name
std::vector<std::string> event_text_cells(const MergedEvent& event, const MergedDefinitions& names,
                                          std::string_view fields);

/// The function with what is special about the call: "MPI_Test (12 polls)".
std::string function_text(const MergedEvent& event, const MergedDefinitions& names);

}  // namespace meridian
