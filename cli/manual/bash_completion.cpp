// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/manual/command_words.hpp"
#include "cli/manual/completions.hpp"

namespace meridian {
namespace {

constexpr const char* kBegin = R"(# SPDX-License-Identifier: Apache-2.0
# Completion of meridian in bash, printed by `meridian completion bash`.

_meridian_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_meridian_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

# What follows the options of `meridian run` at the word $1: a program, then its arguments.
_meridian_program() {
  if [ "$1" -lt "$COMP_CWORD" ]; then
    _meridian_files -f
    return
  fi
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current")
}

_meridian() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local options="" arguments="" valued="" program=0 at
  COMPREPLY=()
  if [ "$current" = "=" ]; then # the words of --option=value are three
    current=""
  elif [ "$previous" = "=" ]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

constexpr const char* kEnd =
    R"(  if [ -n "$valued" ]; then # run: the first word that is neither an option nor the value of one is the program
    at=2
    while [ "$at" -lt "$COMP_CWORD" ]; do
      case ${COMP_WORDS[at]} in
        --) program=$((at + 1)); break ;;
        -*)
          if [ "${COMP_WORDS[at+1]}" = "=" ]; then
            at=$((at + 2))
          elif [[ " $valued " = *" ${COMP_WORDS[at]} "* ]]; then
            at=$((at + 1))
          fi ;;
        *) program=$at; break ;;
      esac
      at=$((at + 1))
    done
    if [ "$program" -gt 0 ]; then
      _meridian_program "$program"
      return
    fi
  fi
  case ${COMP_WORDS[1]}:$previous in
)";

constexpr const char* kFinish = R"(  esac
  case $current in
    -*) _meridian_words "$options" ;;
    *)
      case $arguments in
        file) _meridian_files -f ;;
        directory) _meridian_files -d ;;
        program) _meridian_program "$COMP_CWORD" ;;
        *) _meridian_words "$arguments" ;;
      esac ;;
  esac
}
complete -F _meridian meridian
)";

/// The command that offers values of this option.
std::string offer(const CommandOption& option) {
  switch (value_kind(option)) {
    case ValueKind::choice:
      return "_meridian_words " + in_quotes(joined(option.choices, " "));
    case ValueKind::file:
      return "_meridian_files -f";
    case ValueKind::directory:
      return "_meridian_files -d";
    case ValueKind::program:
      return "_meridian_program \"$COMP_CWORD\"";
    case ValueKind::flag:
    case ValueKind::other:
      break;
  }
  return "";
}

std::string arguments_word(const Command& command) {
  if (takes_program(command)) return "program";
  for (const CommandOption& argument : arguments_of(command)) switch (value_kind(argument)) {
      case ValueKind::choice:
        return joined(argument.choices, " ");
      case ValueKind::file:
        return "file";
      case ValueKind::directory:
        return "directory";
      case ValueKind::program:
        return "program";
      case ValueKind::flag:
      case ValueKind::other:
        break;
    }
  return "";
}

}  // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  std::string script = kBegin;
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const Command& command : commands) names.push_back(command.name);
  for (const CommandOption& option : program_options()) names.push_back(names_of(option).back());
  script += fmt::format("  if [ \"$COMP_CWORD\" -le 1 ]; then\n    _meridian_words {}\n    return\n  fi\n",
                        in_quotes(joined(names, " ")));
  script += "  case ${COMP_WORDS[1]} in\n";
  std::string values;
  for (const Command& command : commands) {
    std::vector<std::string> options, valued;
    for (const CommandOption& option : options_of(command)) {
      const auto spellings = names_of(option);
      options.insert(options.end(), spellings.begin(), spellings.end());
      if (value_kind(option) == ValueKind::flag) continue;
      valued.insert(valued.end(), spellings.begin(), spellings.end());
      const std::string words = offer(option);
      values += fmt::format("    {}) {}return ;;\n", command.name + ":" + joined(spellings, "|" + command.name + ":"),
                            words.empty() ? "" : words + "; ");
    }
    script += fmt::format("    {}) options={} arguments={}{} ;;\n", command.name, in_quotes(joined(options, " ")),
                          in_quotes(arguments_word(command)),
                          takes_program(command) ? " valued=" + in_quotes(joined(valued, " ")) : "");
  }
  return script + "  esac\n" + kEnd + values + kFinish;
}

}  // namespace meridian
