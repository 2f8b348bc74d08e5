// SPDX-License-Identifier: Apache-2.0
// meridian help: the help of a command, a document, or both.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/manual/command_pages.hpp"
#include "cli/manual/terminal_text.hpp"
#include "cli/manual/topics.hpp"
#include "cli/output.hpp"

namespace meridian {
namespace {

int print_topic(const Document& document) {
  return print(terminal_text(document, Paint{wants_colour(STDOUT_FILENO)})) ? kExitFine : kExitCouldNotRun;
}

int show_help(const std::vector<Command>& all, const std::string& name) {
  if (name.empty()) return run_command_line(all, MERIDIAN_VERSION, {"--help"});
  const bool is_command = std::ranges::find(all, name, &Command::name) != all.end();
  const Topic* const topic = find_topic(name);
  if (!is_command && name == kFormatsTopic) return print_topic(formats_page());
  if (!is_command && topic == nullptr) {
    std::vector<Command> known = all;
    for (const std::string& other : topic_names()) known.push_back({.name = other});
    Error error = unknown_command(known, name);
    error.what = fmt::format("there is no command or topic '{}'", name);
    error.hint += ", and the topics";
    return fail(error);
  }
  if (is_command)
    if (const int code = run_command_line(all, MERIDIAN_VERSION, {name, "--help"}); code != kExitFine) return code;
  if (topic == nullptr) return kExitFine;
  if (is_command && !print("\n")) return kExitCouldNotRun;
  return print_topic(terminal_document(*topic));
}

}  // namespace

Command help_command(const std::vector<Command>& all) {
  const auto name = std::make_shared<std::string>();
  std::vector<std::string> choices;
  choices.reserve(all.size());
  for (const Command& command : all) choices.push_back(command.name);
  for (const std::string& topic : topic_names())
    if (std::ranges::find(choices, topic) == choices.end()) choices.push_back(topic);
  std::string footer = "Topics: ";
  for (const std::string& topic : topic_names()) footer += (footer.ends_with(' ') ? "" : ", ") + topic;
  return {"help",
          "Explain a command or a topic",
          {{.names = "topic",
            .value = "TOPIC",
            .help = "Command or topic that is explained (default: list the commands)",
            .target = name.get(),
            .choices = choices}},
          [name, &all] { return show_help(all, *name); },
          footer + "."};
}

}  // namespace meridian
