// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runs that the command line of `meridian compare` names.

#include <string>
#include <vector>

#include "summary/compare/comparison.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// One group for each argument: a path, several paths separated by commas, or LABEL=PATHS. A path that exists is taken as
/// it is, whatever its name contains.
/// errors  those of load_summary(), which name the path; invalid_argument: an empty path
Result<std::vector<RunGroup>> load_groups(const std::vector<std::string>& arguments);

}  // namespace meridian
