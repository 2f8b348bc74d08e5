// SPDX-License-Identifier: Apache-2.0
#include "cli/support/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
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
};
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};

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
  for (const char* const variable : kRankVariables) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) continue;
    const std::optional rank = number_in<std::int32_t>(text);
    if (!rank) continue;
    launcher.rank = *rank;
    break;
  }
  return launcher;
}

}  // namespace meridian
