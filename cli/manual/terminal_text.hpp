// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/manual/document.hpp"
#include "cli/summary/text/text.hpp"

namespace meridian {

/// Lines of at most prose_width() columns; literal blocks keep their lines. A table whose rows are too wide is printed as
/// one paragraph for each row.
std::string terminal_text(const Document& document, const Paint& paint);

}  // namespace meridian
