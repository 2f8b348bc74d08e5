#pragma once

// Mistakes on the command line, with the name that was most likely meant.

#include <string>
#include <vector>

#include "trace/model/result.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace meridian {

/// "no command 'stat'", hint "did you mean 'stats'?"
Error unknown_command(const CLI::App& app, const std::string& name);

/// "no option '--jsno' for 'meridian stats'", hint "did you mean '--json'?"
Error unknown_option(const CLI::App& command, const std::string& argument);

/// "--mpi opnmpi: not a valid choice", hint "did you mean openmpi? ..."; `shown` is how the user wrote it.
Error unknown_choice(const std::string& shown, const std::string& word, const std::vector<std::string>& choices);

/// What CLI11 found wrong, in our words.
Error parse_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace meridian
