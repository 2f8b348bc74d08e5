// SPDX-License-Identifier: Apache-2.0
#include "cli/support/empty_directory.hpp"

#include <system_error>
#include <utility>

namespace meridian {

namespace fs = std::filesystem;

Status make_empty_directory(const fs::path& directory, std::string hint) {
  std::error_code problem;
  fs::create_directories(directory, problem);
  const bool is_empty = !problem && fs::is_empty(directory, problem);
  if (problem)
    return Error{Errc::io, "cannot make directory '" + directory.string() + "': " + problem.message(),
                 "choose another place"};
  if (is_empty) return {};
  return Error{Errc::invalid_argument, "directory '" + directory.string() + "' is not empty", std::move(hint)};
}

}  // namespace meridian
