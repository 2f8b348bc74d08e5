// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runs that the command line of `meridian compare` names.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/compare/history.hpp"
#include "summary/compare/comparison.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// One group for each argument: a path, several paths separated by commas, or LABEL=PATHS. A path that exists is taken as
/// it is, whatever its name contains.
/// errors  those of load_summary(), which name the path; invalid_argument: an empty path
Result<std::vector<RunGroup>> load_groups(const std::vector<std::string>& arguments);

/// Reads all merged files in the folder itself and in its folders; links to folders are not followed twice.
/// errors  not_found: no such folder, or no merged run in it; io: it cannot be read
Result<History> read_history(const std::filesystem::path& folder);

}  // namespace meridian
