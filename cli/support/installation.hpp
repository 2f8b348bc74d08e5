// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the parts of Meridian lie, seen from this program: the same relations in the build tree and when installed.

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/support/launcher.hpp"

namespace meridian {

/// Absolute path of this program; empty if /proc cannot say.
std::filesystem::path own_path();

/// libmeridian.so for programs of this MPI; nullopt when it is not installed.
std::optional<std::filesystem::path> find_tracer(Flavor flavor);

/// Flavors that have a tracer, the preferred one first.
std::vector<Flavor> installed_flavors();

/// The writer program; nullopt when it is not there or not executable.
std::optional<std::filesystem::path> find_writer();

}  // namespace meridian
