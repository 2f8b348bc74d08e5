// SPDX-License-Identifier: Apache-2.0
#pragma once

// Information from the MPI launcher about this process.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace meridian {

/// Families of MPI libraries that share a binary interface; libmeridian.so is built once for each.
enum class Flavor : std::uint8_t { openmpi, mpich };
inline constexpr std::array<Flavor, 2> kFlavors{Flavor::openmpi, Flavor::mpich};

constexpr std::string_view flavor_name(Flavor flavor) { return flavor == Flavor::openmpi ? "openmpi" : "mpich"; }
constexpr std::string_view flavor_title(Flavor flavor) { return flavor == Flavor::openmpi ? "Open MPI" : "MPICH"; }

struct Launcher {
  std::optional<Flavor> flavor;      ///< flavor of the launcher that started this process
  std::optional<std::int32_t> rank;  ///< in the job; nullopt: no launcher reported one
  std::optional<std::int32_t> size;  ///< processes of the job; nullopt: no launcher reported one
  std::string_view evidence;         ///< the variable that determined the flavor

  /// True for the one process of a job that prints messages.
  bool speaks() const { return rank.value_or(0) == 0; }
};

/// Whether the program at `path` starts MPI programs: mpirun, mpiexec, srun and the like.
bool is_launcher(const std::filesystem::path& path);
/// The family of such a launcher, from its name after all links are resolved: mpiexec.openmpi is a link to orterun.
std::optional<Flavor> flavor_of_launcher(const std::filesystem::path& path);

/// Reads the environment of this process.
Launcher find_launcher();

}  // namespace meridian
