// SPDX-License-Identifier: Apache-2.0
#include "cli/support/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "trace/model/text_fields.hpp"

namespace meridian {
namespace {

struct Sign {
  const char* variable;
  Flavor flavor;
};
// Open MPI first: its launcher may also set PMI_RANK, but MPICH's never sets OMPI_*.
constexpr Sign kSigns[] = {
    {"OMPI_COMM_WORLD_RANK", Flavor::openmpi},
    {"OMPI_MCA_ess", Flavor::openmpi},
    {"PRTE_LAUNCHED", Flavor::openmpi},
    {"PMI_RANK", Flavor::mpich},
    {"PMI_FD", Flavor::mpich},
    {"HYDI_CONTROL_FD", Flavor::mpich},
    {"MPIR_CVAR_CH3_NETMOD", Flavor::mpich},
    {"MPI_LOCALNRANKS", Flavor::mpich},
    // Last: MPICH's launchers may set it as well. `srun --mpi=pmix` sets nothing else.
    {"PMIX_RANK", Flavor::openmpi},
};
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
// Launchers that run inside a job step come first. Not SLURM_NTASKS, which batch scripts and salloc's shells have, too: the
// one process of a script is no task of a step.
constexpr const char* kSizeVariables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

/// The first of the variables that holds a number.
std::optional<std::int32_t> first_number(std::span<const char* const> variables) {
  for (const char* const variable : variables) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) continue;
    if (const std::optional number = number_in<std::int32_t>(text)) return number;
  }
  return std::nullopt;
}

}  // namespace

bool is_launcher(const std::filesystem::path& path) {
  static constexpr std::string_view kNames[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun",
                                                "srun",   "jsrun",   "aprun",   "palsrun"};
  const std::string name = path.filename().string();
  return flavor_of_launcher(path) || std::ranges::any_of(kNames, [&](std::string_view known) {
           return name == known || name.starts_with(std::string{known} + ".");
         });
}

std::optional<Flavor> flavor_of_launcher(const std::filesystem::path& path) {
  std::error_code problem;
  const std::string name = std::filesystem::canonical(path, problem).filename().string();
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (has("orterun") || has("prterun") || has("mpirun.openmpi") || has("mpiexec.openmpi")) return Flavor::openmpi;
  if (has("hydra") || has("mpirun.mpich") || has("mpiexec.mpich")) return Flavor::mpich;
  return std::nullopt;
}

Launcher find_launcher() {
  Launcher launcher;
  for (const Sign& sign : kSigns) {
    if (std::getenv(sign.variable) == nullptr) continue;
    launcher.flavor = sign.flavor;
    launcher.evidence = sign.variable;
    break;
  }
  launcher.rank = first_number(kRankVariables);
  launcher.size = first_number(kSizeVariables);
  return launcher;
}

}  // namespace meridian
