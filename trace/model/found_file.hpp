// SPDX-License-Identifier: Apache-2.0
#pragma once

// meridian.conf of the working directory names programs that are run (MERIDIAN_WRITER) and files that are written,
// although the user has not named it: in a directory that others can write to, it may be theirs. These checks do not
// apply to a file that MERIDIAN_CONFIG names.

#include <sys/stat.h>

namespace meridian {

inline constexpr const char* kFoundConfig = "meridian.conf";
inline constexpr const char* kDistrustHint = "make it yours and `chmod go-w` it, or name it in MERIDIAN_CONFIG";

/// The reason not to use a file that was found but not named; nullptr if it can be used. `user` is the effective one.
inline const char* distrust(const struct stat& status, uid_t user) noexcept {
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (status.st_uid != user && status.st_uid != 0) return "it belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others may write to it";
  return nullptr;
}

}  // namespace meridian
