// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files under temporary names that this process is writing. A command that is interrupted removes them.

#include <filesystem>

namespace meridian {

/// Remembers the file, unless there are too many or its name is too long. Any thread.
void note_temporary_file(const std::filesystem::path& path) noexcept;

/// The file has its final name, or was removed.
void forget_temporary_file(const std::filesystem::path& path) noexcept;

/// Removes all that are noted. Async-signal-safe.
void remove_temporary_files() noexcept;

}  // namespace meridian
