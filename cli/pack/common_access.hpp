// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>

#include "trace/model/result.hpp"

namespace meridian {

/// The owner, the group and the permissions of a file.
struct CommonAccess {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0;  ///< permission bits

  /// The access that each of these files gives. errors: io; invalid_argument: they have several owners, or one whose files this
  /// process cannot make.
  static Result<CommonAccess> common(std::span<const std::filesystem::path> files);
  /// Gives a new file the same owner and permissions; without those of a group that it cannot be given to. errors: io
  Status give_to(const std::filesystem::path& file) const;
};

}  // namespace meridian
