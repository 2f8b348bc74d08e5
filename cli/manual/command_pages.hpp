// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pages made from the descriptions of the commands, the table of options and the table of formats.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/manual/document.hpp"

namespace meridian {

/// meridian(1), and meridian-COMMAND(1).
Document program_page(const std::vector<Command>& all);
Document command_page(const Command& command);

/// meridian.conf(5).
Document configuration_page();

/// What `meridian help formats` prints, and meridian-formats(7): files, exports, and where each is described.
inline constexpr std::string_view kFormatsTopic = "formats";
Document formats_page();
Document formats_manual();

/// All commands in one Markdown text.
std::string commands_markdown(const std::vector<Command>& all);

/// Names that `meridian help` takes besides commands, sorted.
std::vector<std::string> topic_names();

}  // namespace meridian
