// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/command_words.hpp"

#include <algorithm>
#include <iterator>

#include "cli/command_line.hpp"

namespace meridian {

ValueKind value_kind(const CommandOption& option) {
  if (option.value.empty()) return ValueKind::flag;
  if (!option.choices.empty()) return ValueKind::choice;
  if (option.value == "FILE" || option.value == "PATH" || option.value == "RUN") return ValueKind::file;
  if (option.value == "DIR" || option.value == "FOLDER") return ValueKind::directory;
  if (option.value == "PROGRAM") return ValueKind::program;
  return ValueKind::other;
}

bool is_positional(const CommandOption& option) { return !option.names.starts_with("-"); }

std::vector<std::string> names_of(const CommandOption& option) {
  std::vector<std::string> names;
  const std::string all = option.names.substr(0, option.names.find('{'));
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    names.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<CommandOption> options_of(const Command& command) {
  std::vector<CommandOption> options;
  std::ranges::copy_if(command.options, std::back_inserter(options),
                       [](const CommandOption& option) { return !is_positional(option); });
  std::ranges::copy(common_options(command), std::back_inserter(options));
  return options;
}

std::vector<CommandOption> arguments_of(const Command& command) {
  std::vector<CommandOption> arguments;
  std::ranges::copy_if(command.options, std::back_inserter(arguments), is_positional);
  return arguments;
}

std::vector<CommandOption> program_options() {
  return {help_option(), {.names = "--version", .help = "Print the version and exit"}};
}

bool takes_program(const Command& command) { return command.name == "run"; }

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : std::string{between}) + word;
  return result;
}

std::string with_backslashes(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return result + "'";
}

}  // namespace meridian
