// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program to run: its path, whether it can be traced, and the MPI that it is linked with.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/support/launcher.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Finds `name` as execvp(3) does. errors: not_found (no such file, a directory), io (not executable).
Result<std::filesystem::path> find_program(const std::string& name);

struct ProgramFacts {
  std::string obstacle;          ///< why it cannot be traced ("it is statically linked"); empty if it can
  std::optional<Flavor> flavor;  ///< of the MPI library that it is linked with; nullopt: none, or loaded later
  bool is_linked_with_tracer = false;
  bool is_tracer_behind_mpi = false;  ///< its calls then do not reach the tracer
  std::string library;                ///< the library that determined the flavor: "libmpi.so.40"
};

/// Reads the program, its interpreter if it is a script, and the libraries that it is linked with. Runs nothing.
ProgramFacts inspect_program(const std::filesystem::path& path);

/// The flavor of the first MPI library in the list; `library` receives its name.
std::optional<Flavor> flavor_of_libraries(const std::vector<std::string>& names, std::string& library);

}  // namespace meridian
