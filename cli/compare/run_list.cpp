// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/run_list.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/progress.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct NamedPaths {
  std::string label;
  std::vector<std::string> paths;
};

NamedPaths split(const std::string& argument) {
  std::error_code ignored;
  if (fs::exists(argument, ignored)) return {argument, {argument}};
  NamedPaths named{argument, {}};
  std::string rest = argument;
  const std::size_t equals = argument.find('=');
  if (equals != std::string::npos && equals > 0) {
    named.label = argument.substr(0, equals);
    rest = argument.substr(equals + 1);
    if (fs::exists(rest, ignored)) return {named.label, {rest}};
  }
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(',', begin), rest.size());
    named.paths.push_back(rest.substr(begin, end - begin));
    begin = end + 1;
  }
  return named;
}

}  // namespace

Result<std::vector<RunGroup>> load_groups(const std::vector<std::string>& arguments) {
  std::vector<NamedPaths> named;
  std::size_t all = 0;
  for (const std::string& argument : arguments) {
    named.push_back(split(argument));
    all += named.back().paths.size();
  }
  ProgressBar bar{::isatty(STDERR_FILENO) == 1};
  std::size_t done = 0;
  std::vector<RunGroup> groups;
  for (const NamedPaths& each : named) {
    RunGroup& group = groups.emplace_back();
    group.label = each.label;
    for (const std::string& path : each.paths) {
      if (path.empty())
        return Error{Errc::invalid_argument, fmt::format("'{}' names an empty path", each.label),
                     "separate the paths of repeats by single commas"};
      bar.show(static_cast<double>(done++) / static_cast<double>(all), path);
      MERIDIAN_TRY(const Summary summary, load_summary(path));
      group.runs.push_back(profile_of(summary, path));
    }
  }
  return groups;
}

}  // namespace meridian
