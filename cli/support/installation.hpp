// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the other parts of Meridian, relative to this program: the build tree and an installation have the same layout.

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/support/launcher.hpp"

namespace meridian {

/// Absolute path of this program; empty if /proc is not available.
std::filesystem::path own_path();

/// libmeridian.so for programs of this MPI; nullopt if it is not installed.
std::optional<std::filesystem::path> find_tracer(Flavor flavor);

/// libmeridian-processes.so, through which several processes merge a trace with this MPI; nullopt if it is not installed.
std::optional<std::filesystem::path> find_process_library(Flavor flavor);

/// libmeridian-annotations.so, which Kokkos, NVTX and ITT load; nullopt if it is not installed.
std::optional<std::filesystem::path> find_annotations();

/// Flavors that have a tracer, the preferred one first.
std::vector<Flavor> installed_flavors();

/// The writer program; nullopt if it is missing or not executable.
std::optional<std::filesystem::path> find_writer();

}  // namespace meridian
