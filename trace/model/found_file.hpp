// SPDX-License-Identifier: Apache-2.0
#pragma once

// meridian.conf of the working directory names programs that are run (MERIDIAN_WRITER) and files that are written.
// Nobody asked for it: in a directory that others can write to, it may be theirs. A file that MERIDIAN_CONFIG names was
// asked for, and is not held to this.

#include <sys/stat.h>

namespace meridian {

inline constexpr const char* kFoundConfig = "meridian.conf";
inline constexpr const char* kDistrustHint = "make it yours and `chmod go-w` it, or name it in MERIDIAN_CONFIG";

/// Why a file that was found and not named is not used; nullptr when it is. `user` is the effective one.
inline const char* distrust(const struct stat& status, uid_t user) noexcept {
  if (!S_ISREG(status.st_mode)) return "it is no regular file";
  if (status.st_uid != user && status.st_uid != 0) return "it belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others may write to it";
  return nullptr;
}

}  // namespace meridian
