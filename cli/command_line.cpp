#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "trace/model/nearest_name.hpp"

namespace meridian {
namespace {

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names, const std::string& otherwise) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest_name(word, views);
  return near.empty() ? otherwise : "did you mean '" + std::string{near} + "'? Else " + otherwise;
}

/// The command that was being read when the mistake was met.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.back());
}

std::string title(const CLI::App& command) {
  return command.get_parent() == nullptr ? "meridian" : "meridian " + command.get_name();
}

}  // namespace

Error unknown_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return {Errc::invalid_argument, "there is no command '" + name + "'",
          did_you_mean(name, names, "`meridian --help` lists them")};
}

Error unknown_option(const CLI::App& command, const std::string& argument) {
  const std::string option = argument.substr(0, argument.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : known->get_snames()) names.push_back("-" + name);
  }
  return {Errc::invalid_argument, "there is no option '" + option + "' for `" + title(command) + "`",
          did_you_mean(option, names, "`" + title(command) + " --help` lists them")};
}

Error unknown_choice(const std::string& shown, const std::string& word, const std::vector<std::string>& choices) {
  return {Errc::invalid_argument, shown + ": not a valid choice",
          did_you_mean(word, choices, fmt::format("give {}", fmt::join(choices, ", ")))};
}

Error parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::string hint = "`" + title(command) + " --help` shows how";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = command.remaining();
    if (!extras.empty() && extras.front().starts_with("-")) return unknown_option(command, extras.front());
    if (!extras.empty() && &command == &app) return unknown_command(app, extras.front());
    if (!extras.empty())
      return {Errc::invalid_argument, "there is an argument too many: '" + extras.front() + "'", hint};
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && &command == &app)
    return {Errc::invalid_argument, "no command given", "`meridian --help` lists them"};
  return {Errc::invalid_argument, error.what(), hint};
}

}  // namespace meridian
