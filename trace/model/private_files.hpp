// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

namespace meridian {

/// Restricts files and directories that this process creates from now on to its user, because a trace may contain
/// confidential data. A stricter umask remains. For Meridian's own processes, never in an application.
inline void keep_files_private() noexcept { ::umask(::umask(077) | 077); }

}  // namespace meridian
