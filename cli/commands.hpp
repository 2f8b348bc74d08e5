// SPDX-License-Identifier: Apache-2.0
#pragma once

// The subcommands. Each function describes one with its options; its action runs after the whole command line has been
// parsed.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace meridian {

/// `program` is the result of take_program().
Command run_command(const std::vector<std::string>& program);
/// Removes the program and its arguments from the arguments of `run` and returns them; Meridian does not parse them.
std::vector<std::string> take_program(std::vector<std::string>& arguments);
Command merge_command();
Command stats_command();
Command compare_command();
Command order_command();
Command clocks_command();
Command report_command();
Command view_command();
Command query_command();
Command events_command();
Command export_command();
Command cut_command();
Command filter_command();
Command sort_command();
Command aggregate_command();
Command info_command();
Command check_command();
Command clean_command();
Command where_command();
Command watch_command();
Command doctor_command();
Command counters_command();
Command control_command();
Command snapshot_command();
Command pack_command();
Command import_command();
Command generate_command();
Command top_command();
Command options_command();

// These describe the other commands; `all` holds them, too, when they run.
Command help_command(const std::vector<Command>& all);
Command completion_command(const std::vector<Command>& all);
Command manual_command(const std::vector<Command>& all);

}  // namespace meridian
