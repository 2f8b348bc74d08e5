// SPDX-License-Identifier: Apache-2.0
#pragma once

// Information from the MPI launcher about this process.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace meridian {

/// Binary interfaces of MPI libraries; a libmeridian.so serves one of them. `abi` is the standard's own (MPI 5.0), which
/// several libraries have beside theirs.
enum class Flavor : std::uint8_t { openmpi, mpich, abi };
inline constexpr std::array<Flavor, 3> kFlavors{Flavor::openmpi, Flavor::mpich, Flavor::abi};

constexpr std::string_view flavor_name(Flavor flavor) {
  constexpr std::array<std::string_view, kFlavors.size()> kNames{"openmpi", "mpich", "abi"};
  return kNames[static_cast<std::size_t>(flavor)];
}
constexpr std::string_view flavor_title(Flavor flavor) {
  constexpr std::array<std::string_view, kFlavors.size()> kTitles{"Open MPI", "MPICH", "the standard ABI of MPI"};
  return kTitles[static_cast<std::size_t>(flavor)];
}

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
