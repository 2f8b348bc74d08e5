// SPDX-License-Identifier: Apache-2.0
#include "cli/compared_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
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

/// The merged files of the folder, each once, although `latest` is a link to one of them.
struct FolderContent {
  std::vector<fs::path> merged;
  std::size_t unmerged = 0;
};

Result<FolderContent> find_runs(const fs::path& folder) {
  std::error_code problem;
  if (!fs::exists(folder, problem))
    return problem
               ? unreadable_trace(folder, problem)
               : Error{Errc::not_found, fmt::format("there is no '{}'", folder.string()), "name a folder of traces"};
  FolderContent content;
  std::set<fs::path> known;
  const auto add = [&](const fs::path& path) {
    std::error_code ignored;
    const fs::path file = fs::canonical(path, ignored);
    if (!ignored && known.insert(file).second) content.merged.push_back(path);
  };
  std::vector<fs::path> directories{folder};
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem))
    if (entry.is_directory(problem)) directories.push_back(entry.path());
  if (problem) return unreadable_trace(folder, problem);
  std::ranges::stable_sort(directories, {}, [](const fs::path& path) { return std::pair{fs::is_symlink(path), path}; });
  for (const fs::path& directory : directories) {
    const auto merged = find_merged(directory);
    std::error_code ignored;
    if (merged)
      add(*merged);
    else if (merged.error().hint.starts_with("meridian merge") && !fs::is_symlink(directory, ignored))
      ++content.unmerged;
  }
  if (content.merged.empty())
    return Error{Errc::not_found, fmt::format("'{}' holds no merged run", folder.string()),
                 content.unmerged == 0 ? "name a folder whose folders were made by `meridian run`"
                                       : "merge its traces with `meridian merge`"};
  return content;
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

Result<History> read_history(const fs::path& folder) {
  MERIDIAN_TRY(const FolderContent content, find_runs(folder));
  std::vector<std::string> skipped;
  std::vector<RunProfile> runs;
  ProgressBar bar{::isatty(STDERR_FILENO) == 1};
  std::size_t done = 0;
  for (const fs::path& path : content.merged) {
    bar.show(static_cast<double>(done++) / static_cast<double>(content.merged.size()), path.string());
    const auto summary = load_summary(path);
    if (summary)
      runs.push_back(profile_of(*summary, path.string()));
    else
      skipped.push_back(summary.error().what);
  }
  if (runs.empty()) return Error{Errc::damaged, skipped.front(), "merge it again with `meridian merge`"};
  History history = make_history(std::move(runs));
  history.skipped = std::move(skipped);
  history.unmerged = content.unmerged;
  return history;
}

}  // namespace meridian
