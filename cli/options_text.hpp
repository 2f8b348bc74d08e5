// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meridian {

/// Every option for a terminal, 80 columns.
std::string options_text();

/// The text of docs/OPTIONS.md.
std::string options_markdown();

}  // namespace meridian
