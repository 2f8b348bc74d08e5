// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "export/sink.hpp"
#include "export/source.hpp"

namespace meridian {

/// Writes events, messages and participants of collectives, one file each (RFC 4180). A text that a spreadsheet would
/// take for a formula begins with an apostrophe. Unknown numbers are empty cells.
Status export_csv(ExportSource& source, ExportSink& sink);

/// A text as one cell.
std::string csv_cell(std::string_view text);

}  // namespace meridian
