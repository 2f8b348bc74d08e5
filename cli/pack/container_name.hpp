// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace meridian {

/// "ranks-node17.h5" in the directory, or "ranks-node17-2.h5" and so on if there is a file of that name: of another host
/// whose name becomes the same one, or damaged. Characters that are unusual in names of files become '_'.
std::filesystem::path free_container_path(const std::filesystem::path& directory, const std::string& hostname);

}  // namespace meridian
