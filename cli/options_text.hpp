// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meridian {

/// Every option for a terminal.
std::string options_text();

/// One JSON object with every option, group and preset.
std::string options_json();

/// The text of docs/OPTIONS.md.
std::string options_markdown();

}  // namespace meridian
