// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "trace/model/result.hpp"

namespace meridian {

struct Description {
  std::string text;
  std::string json;  ///< one object
};

/// Describes a file or directory in a few lines: kind, schema, ranks, events.
/// errors  not_found; damaged: a file of ours that cannot be read; invalid_argument: not a file of ours.
Result<Description> describe_path(const std::filesystem::path& path);

}  // namespace meridian
