// SPDX-License-Identifier: Apache-2.0
#include "cli/print_summary.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/summary/csv.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/measures.hpp"
#include "summary/recorded_part.hpp"

namespace meridian {
namespace {

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const TextSection& section : text_sections()) names.emplace_back(section.name);
  return names;
}

std::string join(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

std::string text_of(const Summary& summary, const PrintOptions& options) {
  const Paint paint{wants_colour(STDOUT_FILENO)};
  const std::size_t sites = options.sites == 0 ? kTopSites : options.sites;
  if (options.sections.empty())
    return options.all || options.sites != 0 ? summary_text(summary, paint, sites) : brief_text(summary, paint);
  std::string result;
  for (const TextSection& section : text_sections()) {
    if (std::ranges::find(options.sections, section.name) == options.sections.end()) continue;
    const std::string text = section.text(summary, paint, sites);
    result += (result.empty() ? "" : "\n") + (text.empty() ? fmt::format("{}: none\n", section.name) : text);
  }
  return result;
}

}  // namespace

void add_form_options(Command& command, bool& is_csv, bool& is_json) {
  command.options.push_back({"--csv", "", "Print tables of comma-separated values", &is_csv});
  command.options.push_back(
      {.names = "--json", .help = "Print one JSON object and nothing else", .target = &is_json, .excludes = "--csv"});
}

void add_print_options(Command& command, PrintOptions& options) {
  add_form_options(command, options.csv, options.json);
  command.options.push_back({"--all", "", "Print all sections, not only the most important ones", &options.all});
  command.options.push_back({.names = "--section",
                             .value = "NAME",
                             .help = "Print this section; may be given several times: " + join(section_names()),
                             .target = &options.sections,
                             .choices = section_names()});
}

Status check_print_options(const PrintOptions& options) {
  const std::vector<std::string> names = section_names();
  for (const std::string& wanted : options.sections)
    if (std::ranges::find(names, wanted) == names.end()) return unknown_choice("--section " + wanted, wanted, names);
  return {};
}

int exit_code(const Summary& summary) {
  return count_findings(summary, Severity::error) == 0 && !has_lost_calls(summary) ? kExitFine : kExitTraceHasErrors;
}

int print_summary(const Summary& summary, const PrintOptions& options) {
  const bool is_printed = print(options.json  ? summary_json(summary)
                                : options.csv ? summary_csv(summary)
                                              : text_of(summary, options));
  return is_printed ? exit_code(summary) : kExitCouldNotRun;
}

}  // namespace meridian
