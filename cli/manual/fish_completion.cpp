// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/manual/command_words.hpp"
#include "cli/manual/completions.hpp"

namespace meridian {
namespace {

/// A word in single quotes. In fish, a backslash means something within single quotes.
std::string fish_quoted(std::string_view text) { return fmt::format("'{}'", with_backslashes(text, "\\'")); }

/// The options of fish's `complete` for the words that may follow.
std::string offer(const CommandOption& option, bool is_argument) {
  const std::string required = is_argument ? "" : "-r ";
  switch (value_kind(option)) {
    case ValueKind::choice:
      return (is_argument ? "-a " : "-x -a ") + fish_quoted(joined(option.choices, " "));
    case ValueKind::file:
      return required + "-F";
    case ValueKind::directory:
      return (is_argument ? "" : "-x ") + std::string{"-a '(__fish_complete_directories)'"};
    case ValueKind::program:
      return required + "-F -a '(__fish_complete_command)'";
    case ValueKind::other:
      return is_argument ? "" : "-x";
    case ValueKind::flag:
      break;
  }
  return "";
}

std::string option_line(const std::string& condition, const CommandOption& option) {
  std::string names;
  for (const std::string& name : names_of(option))
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  std::string values = offer(option, false);
  if (!values.empty()) values.insert(0, 1, ' ');
  return fmt::format("complete -c meridian -n {}{}{} -d {}\n", fish_quoted(condition), names, values,
                     fish_quoted(option.help));
}

}  // namespace

std::string fish_completion(const std::vector<Command>& commands) {
  std::string script =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Completion of meridian in fish, printed by `meridian completion fish`.\n\n"
      "# The command of the line that is being typed is $argv[1]; without an argument: none has been typed yet.\n"
      "function __meridian_is\n"
      "  set -l words (commandline -opc)\n"
      "  test (count $words) -ge 2; and set -l command $words[2]; or set -l command ''\n"
      "  test \"$command\" = \"$argv[1]\"\n"
      "end\n\n"
      "complete -c meridian -f\n";
  for (const CommandOption& option : program_options()) script += option_line("__meridian_is", option);
  for (const Command& command : commands) {
    const std::string condition = "__meridian_is " + command.name;
    script += fmt::format("\ncomplete -c meridian -n {} -a {} -d {}\n", fish_quoted("__meridian_is"), command.name,
                          fish_quoted(command.help));
    for (const CommandOption& option : options_of(command)) script += option_line(condition, option);
    if (takes_program(command))
      script += fmt::format("complete -c meridian -n {} -F -a '(__fish_complete_command)'\n", fish_quoted(condition));
    for (const CommandOption& argument : arguments_of(command))
      if (const std::string values = offer(argument, true); !values.empty())
        script += fmt::format("complete -c meridian -n {} {}\n", fish_quoted(condition), values);
  }
  return script;
}

}  // namespace meridian
