// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// Writes events, messages and participants of collectives, one file each (RFC 4180). A text that a spreadsheet would
/// take for a formula begins with an apostrophe. Unknown numbers are empty cells.
Status export_csv(const MergedTrace& trace, ExportSink& sink, const ExportProgress& progress);

/// A text as one cell.
std::string csv_cell(std::string_view text);

}  // namespace meridian
