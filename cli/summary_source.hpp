// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the merged file that `stats`, `check` and other commands read.

#include <filesystem>
#include <string_view>
#include <system_error>

#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline constexpr const char* kMergedName = "merged.h5";
inline constexpr const char* kLatest = "latest";

/// The merged file that `given` names: itself, or merged.h5 in the directory. Empty means the directory `latest`.
/// errors  not_found: no such file or directory, or not merged yet; the hint has the command to type.
Result<std::filesystem::path> find_merged(const std::filesystem::path& given);

/// The error for a missing file or directory; `given` as for find_merged().
Error missing_trace(const std::filesystem::path& given);

/// The error for a path that the system does not let this user look at.
Error unreadable_trace(const std::filesystem::path& path, const std::error_code& problem);

/// The merged file that `given` names, for a command that needs single calls.
/// command  for the error: "cannot COMMAND 'FILE'"
/// errors   those of find_merged(); invalid_argument: the file is a profile, which has sums in place of calls
Result<std::filesystem::path> find_merged_calls(const std::filesystem::path& given, std::string_view command);

/// The summary of that file.
Result<Summary> load_summary(const std::filesystem::path& given);

}  // namespace meridian
