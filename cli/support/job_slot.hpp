// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace meridian {

/// Why this process may not start MPI although a launcher gave it a place in a job; nullopt: nobody has used that place. A place is for one program: a second one that starts MPI there disturbs or ends
/// the job. Looks at this process and at those above it that belong to the same place: whether one of them has an MPI library
/// loaded, or has waited for programs that it started.
///
/// variable  of the environment, by which the processes of that place are recognized: the launcher sets it
/// proc      the directory of processes
std::optional<std::string> find_user_of_slot(std::string_view variable, const std::filesystem::path& proc = "/proc");

}  // namespace meridian
