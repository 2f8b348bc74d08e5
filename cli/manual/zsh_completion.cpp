// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/manual/command_words.hpp"
#include "cli/manual/completions.hpp"

namespace meridian {
namespace {

/// The action that completes a value: the third part of a specification of _arguments.
std::string action(const CommandOption& option) {
  switch (value_kind(option)) {
    case ValueKind::choice:
      return fmt::format("({})", with_backslashes(joined(option.choices, " "), ":()"));
    case ValueKind::file:
      return "_files";
    case ValueKind::directory:
      return "_files -/";
    case ValueKind::program:
      return "_command_names -e";
    case ValueKind::flag:
    case ValueKind::other:
      break;
  }
  return " ";
}

/// "(-o --output)"{-o,--output}"[text]:FILE:_files"; options may be given again, the last one counts.
std::string option_specification(const CommandOption& option) {
  std::string lines;
  const bool is_flag = value_kind(option) == ValueKind::flag;
  for (const std::string& name : names_of(option)) {
    const std::string equals = is_flag ? "" : name.starts_with("--") ? "=" : "+";
    const std::string value = is_flag ? "" : fmt::format(":{}:{}", with_backslashes(option.value, ":"), action(option));
    const std::string text = with_backslashes(option.help, "[]\\:");
    lines += fmt::format("        {} \\\n", in_quotes(fmt::format("*{}{}[{}]{}", name, equals, text, value)));
  }
  return lines;
}

std::string argument_specifications(const Command& command) {
  if (takes_program(command)) return "        '(-)1:program:_command_names -e' '*::arguments:_normal'";
  const auto arguments = arguments_of(command);
  std::string result;
  for (const CommandOption& argument : arguments) {
    const bool is_repeated = std::holds_alternative<std::vector<std::string>*>(argument.target);
    result += (result.empty() ? "        " : " ") +
              in_quotes(fmt::format("{}:{}:{}", is_repeated ? "*" : "", argument.names, action(argument)));
  }
  return result.empty() ? "        ':'" : result;
}

}  // namespace

std::string zsh_completion(const std::vector<Command>& commands) {
  std::string script =
      "#compdef meridian\n"
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Completion of meridian in zsh, printed by `meridian completion zsh`.\n\n"
      "_meridian() {\n  local -a commands\n  commands=(\n";
  for (const Command& command : commands)
    script += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", command.name, command.help)));
  script += "  )\n  if (( CURRENT == 2 )); then\n    _describe -t commands command commands\n    _arguments";
  for (const CommandOption& option : program_options())
    for (const std::string& name : names_of(option))
      script += fmt::format(" {}", in_quotes(fmt::format("{}[{}]", name, option.help)));
  script += "\n    return\n  fi\n  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n";
  for (const Command& command : commands) {
    script += fmt::format("    {})\n      _arguments -S \\\n", command.name);
    for (const CommandOption& option : options_of(command)) script += option_specification(option);
    script += argument_specifications(command) + "\n      ;;\n";
  }
  return script +
         "    *) _files ;;\n  esac\n}\n\n"
         "# In a folder of $fpath this file is the function itself; else it was sourced.\n"
         "if [[ \"${funcstack[1]}\" == _meridian ]]; then\n  _meridian \"$@\"\nelse\n  compdef _meridian "
         "meridian\nfi\n";
}

}  // namespace meridian
