// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

namespace meridian {

/// From here on, files and directories that this process makes are its user's alone: what a program does, and with
/// whom, is nobody else's affair. A umask that takes away more stays. For processes of our own, never in an
/// application.
inline void keep_files_private() noexcept { ::umask(::umask(077) | 077); }

}  // namespace meridian
