// SPDX-License-Identifier: Apache-2.0
#include "cli/summary_source.hpp"

#include <fmt/format.h>

#include "merged/merged_trace.hpp"
#include "summary/recorded_part.hpp"
#include "trace/format/rank/rank_container.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

}  // namespace

Error missing_trace(const fs::path& given) {
  if (given.empty())
    return {Errc::not_found, "there is no directory 'latest' here",
            "name the trace's directory, or change to the directory in which the program was started"};
  return {Errc::not_found, fmt::format("there is no '{}'", given.string()), "name the directory of a trace"};
}

Error unreadable_trace(const fs::path& path, const std::error_code& problem) {
  return {Errc::io, fmt::format("cannot read '{}': {}", path.string(), problem.message()),
          "check the permissions of the directory and of those above it"};
}

Result<fs::path> find_merged(const fs::path& given) {
  std::error_code problem;
  const fs::path path = given.empty() ? fs::path{kLatest} : given;
  const auto type = fs::status(path, problem).type();
  if (type == fs::file_type::none) return unreadable_trace(path, problem);
  if (type == fs::file_type::not_found) {
    return missing_trace(given);
  }
  if (type != fs::file_type::directory) return path;
  const bool is_merged = fs::exists(path / kMergedName, problem);
  if (problem) return unreadable_trace(path, problem);
  if (is_merged) return path / kMergedName;
  bool has_ranks = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, problem))
    has_ranks = has_ranks || is_of_ranks(entry.path());
  if (problem) return unreadable_trace(path, problem);
  if (!has_ranks)
    return Error{Errc::not_found, fmt::format("'{}' holds no trace", path.string()),
                 "name a directory made by `meridian run`"};
  return Error{Errc::not_found, fmt::format("'{}' has not been merged", path.string()),
               fmt::format("meridian merge '{}'", path.string())};
}

Result<fs::path> find_merged_calls(const fs::path& given, std::string_view command) {
  MERIDIAN_TRY(fs::path merged, find_merged(given));
  MERIDIAN_TRY(const Summary summary, load_summary(merged));
  if (!is_profile(summary)) return merged;
  return Error{
      Errc::invalid_argument,
      fmt::format("cannot {} '{}': it is a profile, which has sums in place of calls", command, merged.string()),
      "record a trace (without MERIDIAN_MODE) of a shorter run"};
}

Result<Summary> load_summary(const fs::path& given) {
  MERIDIAN_TRY(const fs::path path, find_merged(given));
  return MergedTrace::read_summary(path);
}

}  // namespace meridian
