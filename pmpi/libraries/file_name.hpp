// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

namespace meridian {

/// What follows the last slash of `path`.
inline const char* file_name(const char* path) noexcept {
  const char* const slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

}  // namespace meridian
