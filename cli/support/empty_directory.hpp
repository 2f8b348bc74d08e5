// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "trace/model/result.hpp"

namespace meridian {

/// Makes the directory, or takes an empty one: files of another run would be merged with the new ones.
/// hint    what to do if it is not empty
/// errors  io; invalid_argument: it is not empty
Status make_empty_directory(const std::filesystem::path& directory, std::string hint);

}  // namespace meridian
