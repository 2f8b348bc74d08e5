#include "cli/help_formatter.hpp"

#include "cli/summary/printable.hpp"

namespace meridian {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNames = 26;

std::string entry(const std::string& name, const std::string& text) {
  std::string lines = wrapped(text, kNames, kWidth);
  const std::string shown = "  " + name;
  if (shown.size() + 1 < kNames && lines.size() > kNames) return shown + lines.substr(shown.size());
  return shown + "\n" + lines;
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(true), command->get_description());
}

}  // namespace meridian
