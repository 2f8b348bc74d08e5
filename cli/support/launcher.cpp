// SPDX-License-Identifier: Apache-2.0
#include "cli/support/launcher.hpp"

#include <charconv>
#include <cstdlib>

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
    std::int32_t rank = 0;
    const std::string_view digits{text};
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (problem != std::errc{} || end != digits.data() + digits.size()) continue;
    launcher.rank = rank;
    break;
  }
  return launcher;
}

}  // namespace meridian
