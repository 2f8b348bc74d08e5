// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "trace/model/result.hpp"

namespace meridian {

/// What this file or directory is, in a few lines: kind, schema, ranks, events.
/// errors  not_found; damaged: it claims to be ours and cannot be read; invalid_argument: it is not ours.
Result<std::string> describe_path(const std::filesystem::path& path);

}  // namespace meridian
