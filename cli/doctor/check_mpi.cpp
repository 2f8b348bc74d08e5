// SPDX-License-Identifier: Apache-2.0
// MPI libraries, the tracer for each, the launcher, the writer.

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "cli/doctor/checks.hpp"
#include "cli/run/library_search.hpp"
#include "cli/run/program.hpp"
#include "cli/support/installation.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// The names under which programs link the library.
std::vector<std::string> library_names(Flavor flavor) {
  if (flavor == Flavor::openmpi) return {"libmpi.so.40", "libmpi.so.20"};
  if (flavor == Flavor::abi) return {"libmpi_abi.so.1"};
  return {"libmpich.so.12", "libmpi.so.12"};
}

std::optional<fs::path> find_library(Flavor flavor, const LibrarySearch& search) {
  for (const std::string& name : library_names(flavor))
    if (auto path = search.find(name)) return path;
  return std::nullopt;
}

std::string launcher_kind(const fs::path& path) {
  const auto flavor = flavor_of_launcher(path);
  return flavor ? std::string{flavor_title(*flavor)} : "unknown kind";
}

}  // namespace

std::vector<Check> check_mpi() {
  const char* const library_path = std::getenv("LD_LIBRARY_PATH");
  const LibrarySearch search{library_path == nullptr ? "" : library_path};
  std::vector<Check> checks;
  for (const Flavor flavor : kFlavors) {
    const std::string name{flavor_title(flavor)};
    const auto library = find_library(flavor, search);
    const auto tracer = find_tracer(flavor);
    if (library && tracer)
      checks.push_back({name, Health::ok, fmt::format("{}, traced by {}", library->string(), tracer->string()), ""});
    else if (library)
      checks.push_back({name, Health::warn, library->string() + ", but there is no libmeridian.so for it",
                        flavor == Flavor::abi
                            ? "programs linked with it run untraced: compile them with the ordinary mpicc to trace them"
                            : fmt::format("build Meridian where the {} compiler wrapper is found", name)});
    else if (tracer)
      checks.push_back({name, Health::ok,
                        fmt::format("not among the system's libraries; programs that bring their own are traced by {}",
                                    tracer->string()),
                        ""});
  }
  if (installed_flavors().empty())
    checks.push_back(
        {"tracer", Health::fail, "no libmeridian.so beside this command", "build or install Meridian again"});
  return checks;
}

std::vector<Check> check_launcher() {
  std::vector<Check> checks;
  for (const char* const name : {"mpirun", "mpiexec", "srun"}) {
    const auto path = find_program(name);
    if (path)
      checks.push_back({"launcher", Health::ok, fmt::format("{} ({})", path->string(), launcher_kind(*path)), ""});
  }
  if (checks.empty())
    checks.push_back({"launcher", Health::warn, "no mpirun, mpiexec or srun in PATH",
                      "install openmpi-bin or mpich, or load the module of your MPI"});
  return checks;
}

std::vector<Check> check_writer() {
  if (const auto writer = find_writer()) return {{"writer", Health::ok, writer->string(), ""}};
  return {{"writer", Health::warn, "meridian-writer is not installed beside this command",
           "install it again; until then `meridian merge` writes the rank files after the run"}};
}

}  // namespace meridian
