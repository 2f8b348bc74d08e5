// SPDX-License-Identifier: Apache-2.0
#pragma once

// The command line: what was typed, held against what the subcommands take. Mistakes are reported with the name that
// was most likely meant.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Does what `arguments` (without the program's own name) ask for and returns the exit code.
int run_command_line(const std::vector<Command>& commands, const std::string& version,
                     const std::vector<std::string>& arguments);

/// "--mpi opnmpi: not a valid choice", hint "did you mean openmpi? ..."; `shown` is how the user wrote it.
Error unknown_choice(const std::string& shown, const std::string& word, const std::vector<std::string>& choices);

}  // namespace meridian
