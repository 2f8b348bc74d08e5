// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11, which takes seconds to compile.

#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>
#include <type_traits>

#include "cli/output.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "trace/model/nearest_name.hpp"

namespace meridian {
namespace {

constexpr std::size_t kNames = 26;

/// Help in prose_width() columns: an option's text is beside its name, wrapped if necessary. All of the layout is here, because that of CLI11
/// changes with its version.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const override {
    const auto positionals = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    const auto options = app->get_options([](const CLI::Option* option) { return option->nonpositional(); });
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    std::string text = app->get_description() + "\nUsage: " + name + " [OPTIONS]";
    for (const CLI::Option* option : positionals) text += " " + make_option_usage(option);
    text += commands.empty() ? "\n" : " SUBCOMMAND\n";
    if (!positionals.empty()) text += "\nPositionals:\n";
    for (const CLI::Option* option : positionals) text += make_option(option, true);
    text += "\nOptions:\n";
    for (const CLI::Option* option : options) text += make_option(option, false);
    if (!commands.empty()) text += "\nSubcommands:\n";
    for (const CLI::App* command : commands) text += entry(command->get_name(), command->get_description());
    return text + "\n" + (app->get_footer().empty() ? "" : app->get_footer() + "\n");
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = make_option_name(option, is_positional);
    if (!option->get_type_name().empty()) name += " " + option->get_type_name();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) name += " ...";
    std::string text = option->get_description();
    if (option->get_required()) text += " (required)";
    for (const CLI::Option* other : option->get_excludes()) text += " (not with " + other->get_name() + ")";
    return entry(name, text);
  }

 private:
  static std::string entry(const std::string& name, const std::string& text) {
    std::string lines = wrapped(text, kNames, prose_width());
    const std::string shown = "  " + name;
    if (shown.size() + 1 < kNames && lines.size() > kNames) return shown + lines.substr(shown.size());
    return shown + "\n" + lines;
  }
};

void declare(CLI::App& app, const CommandOption& option) {
  CLI::Option* const declared = std::visit(
      [&](auto* target) {
        using Value = std::remove_pointer_t<decltype(target)>;
        if constexpr (std::is_same_v<Value, bool>)
          return app.add_flag(option.names, *target, option.help);
        else if constexpr (std::is_same_v<Value, std::string>)
          return option.value.empty() ? app.add_flag(option.names, *target, option.help)
                                      : app.add_option(option.names, *target, option.help);
        else
          return app.add_option(option.names, *target, option.help);
      },
      option.target);
  if (!option.value.empty()) declared->type_name(option.value);
  if (option.names.starts_with("-"))
    declared->allow_extra_args(false);  // one value each time; what follows is another argument
  if (const auto* const range = std::get_if<AllowedRange>(&option.limit))
    declared->check(CLI::Range(range->least, range->most).description(""));
  if (std::holds_alternative<Positive>(option.limit))
    declared->check(CLI::Validator{CLI::PositiveNumber}.description(""));
  if (option.is_required) declared->required();
  if (!option.excludes.empty()) declared->excludes(app.get_option(option.excludes));
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names, const std::string& otherwise) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest_name(word, views);
  return near.empty() ? otherwise : "did you mean '" + std::string{near} + "'? Else " + otherwise;
}

/// The subcommand that was being parsed when the error occurred.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.back());
}

std::string title(const CLI::App& command) {
  return command.get_parent() == nullptr ? "meridian" : "meridian " + command.get_name();
}

/// "no option '--jsno' for 'meridian stats'", hint "did you mean '--json'?"
Error unknown_option(const CLI::App& command, const std::string& argument) {
  const std::string option = argument.substr(0, argument.find('='));
  if (command.get_name() == "run" && (option == "-n" || option == "-np"))
    return {Errc::invalid_argument, "`meridian run` starts one process: it has no option '" + option + "'",
            "put the launcher in front: mpirun " + option + " 4 meridian run ./program"};
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : known->get_snames()) names.push_back("-" + name);
  }
  return {Errc::invalid_argument, "there is no option '" + option + "' for `" + title(command) + "`",
          did_you_mean(option, names, "`" + title(command) + " --help` lists them")};
}

/// Translates an error of CLI11 into our messages.
Error parse_error(const std::vector<Command>& commands, const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::string hint = "`" + title(command) + " --help` shows how";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = command.remaining();
    if (!extras.empty() && extras.front().starts_with("-")) return unknown_option(command, extras.front());
    if (!extras.empty() && &command == &app) return unknown_command(commands, extras.front());
    if (!extras.empty()) return {Errc::invalid_argument, "unexpected argument '" + extras.front() + "'", hint};
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && &command == &app)
    return {Errc::invalid_argument, "no command given", "`meridian --help` lists them"};
  return {Errc::invalid_argument, error.what(), hint};
}

/// Separates arguments such as "-coll" from options: CLI11 takes all that follows "--" for arguments.
std::vector<std::string> with_signs(std::vector<std::string> arguments) {
  const auto is_signed = [](const std::string& word) { return word.size() > 2 && word[0] == '-' && word[1] != '-'; };
  const auto found = std::ranges::find_if(arguments, is_signed);
  if (found != arguments.end()) arguments.insert(found, "--");
  return arguments;
}

}  // namespace

Error unknown_choice(const std::string& shown, const std::string& word, const std::vector<std::string>& choices) {
  return {Errc::invalid_argument, shown + ": not a valid choice",
          did_you_mean(word, choices, fmt::format("give {}", fmt::join(choices, ", ")))};
}

CommandOption help_option() { return {.names = "-h,--help", .help = "Print this help message and exit"}; }

std::vector<CommandOption> common_options(const Command& command, std::uint64_t* columns) {
  std::vector<CommandOption> options{help_option()};
  if (command.name != "run")  // its options are those of the tracer
    options.push_back({"--width", "N", "Columns of the text (default: COLUMNS, the terminal's, or 80)", columns,
                       AllowedRange{kLeastWidth, kMostWidth}});
  return options;
}

Error unknown_command(const std::vector<Command>& commands, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const Command& command : commands) names.push_back(command.name);
  return {Errc::invalid_argument, "there is no command '" + name + "'",
          did_you_mean(name, names, "`meridian --help` lists them")};
}

int run_command_line(const std::vector<Command>& commands, const std::string& version,
                     const std::vector<std::string>& given) {
  CLI::App app{"Traces MPI programs and reports where their time went.", "meridian"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag(help_option().names, help_option().help);
  app.set_version_flag("--version", "meridian " + version);
  app.require_subcommand(1);
  const Command* chosen = nullptr;
  std::uint64_t width = output_width();
  set_text_width(width);
  for (const Command& command : commands) {
    CLI::App* const declared = app.add_subcommand(command.name, command.help);
    for (const CommandOption& option : command.options) declare(*declared, option);
    for (const CommandOption& option : common_options(command, &width))
      if (!option.value.empty()) declare(*declared, option);  // CLI11 adds --help by itself
    if (!command.footer.empty()) declared->footer(command.footer);
    declared->callback([&chosen, &command] { chosen = &command; });
  }
  // After a command has been parsed, CLI11 gives its help for that of the program.
  if (given.empty()) return print(app.help()) ? kExitFine : kExitCouldNotRun;
  const auto named = std::ranges::find(commands, given.front(), &Command::name);
  if (!given.front().starts_with("-") && named == commands.end()) {
    Error error = unknown_command(commands, given.front());
    if (given.size() > 1 && std::ranges::find(commands, given[1], &Command::name) != commands.end())
      error.hint = fmt::format("the command comes first: meridian {} {}", given[1], given[0]);
    return fail(error);
  }
  const auto arguments = named != commands.end() && named->takes_signs ? with_signs(given) : given;
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 expects them reversed
    app.parse(reversed);
  } catch (const CLI::CallForHelp& help) {
    const int code = app.exit(help);
    std::cout.flush();  // print() may follow, which does not go through it
    return code;
  } catch (const CLI::CallForVersion& wish) {
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    return fail(parse_error(commands, app, error));
  }
  set_text_width(width);
  return chosen->run();
}

}  // namespace meridian
