// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parses the command line according to the descriptions of the subcommands. An error names the most similar valid name.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Runs the subcommand in `arguments` (without the program's own name) and returns the exit code.
int run_command_line(const std::vector<Command>& commands, const std::string& version,
                     const std::vector<std::string>& arguments);

/// -h, --help: an option of each command, and of the program.
CommandOption help_option();

/// Options that each command has besides its own. `columns`: the destination of --width.
std::vector<CommandOption> common_options(const Command& command, std::uint64_t* columns = nullptr);

/// "there is no command 'stat'", hint "did you mean 'stats'? ..."
Error unknown_command(const std::vector<Command>& commands, const std::string& name);

/// "--mpi opnmpi: not a valid choice", hint "did you mean openmpi? ..."; `shown` is how the user wrote it.
Error unknown_choice(const std::string& shown, const std::string& word, const std::vector<std::string>& choices);

}  // namespace meridian
