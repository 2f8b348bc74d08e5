// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options of a command, as manual pages and completions need them.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace meridian {

/// The kind of word that a shell completes after an option, or as an argument.
enum class ValueKind {
  flag,    ///< takes no value
  other,   ///< a number, a name: nothing to offer
  choice,  ///< one of `choices`
  file,
  directory,
  program,
};
ValueKind value_kind(const CommandOption& option);

bool is_positional(const CommandOption& option);

/// {"-o", "--output"}: without the value in braces that a flag may have.
std::vector<std::string> names_of(const CommandOption& option);

/// All options of a command with those that every command has, and without its arguments; and the arguments.
std::vector<CommandOption> options_of(const Command& command);
std::vector<CommandOption> arguments_of(const Command& command);

/// Options of the program itself.
std::vector<CommandOption> program_options();

/// True for `run`, whose arguments after its options are a program with its own arguments.
bool takes_program(const Command& command);

std::string joined(const std::vector<std::string>& words, std::string_view between);

/// `text` with each of these characters behind a backslash.
std::string with_backslashes(std::string_view text, std::string_view characters);

/// A word of a shell script: in single quotes, in which only a single quote means something.
std::string in_quotes(std::string_view text);

}  // namespace meridian
