// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/region_table.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace meridian::imported {
namespace {

/// The level of the regions of a paradigm, as users would select them.
struct LevelRow {
  OTF2_Paradigm paradigm;
  std::string_view level;
};
constexpr LevelRow kLevels[] = {
    {OTF2_PARADIGM_USER, "region"},     {OTF2_PARADIGM_COMPILER, "compiler"}, {OTF2_PARADIGM_OPENMP, "openmp"},
    {OTF2_PARADIGM_PTHREAD, "pthread"}, {OTF2_PARADIGM_MPI, "mpi"},           {OTF2_PARADIGM_CUDA, "cuda"},
    {OTF2_PARADIGM_HIP, "hip"},         {OTF2_PARADIGM_OPENACC, "openacc"},   {OTF2_PARADIGM_KOKKOS, "kokkos"},
    {OTF2_PARADIGM_SHMEM, "shmem"},     {OTF2_PARADIGM_SAMPLING, "sampling"},
};

/// Regions of OpenMP in which a thread waits.
struct WaitRow {
  OTF2_RegionRole role;
  CallId call;
};
constexpr WaitRow kTeamWaits[] = {
    {OTF2_REGION_ROLE_BARRIER, CallId::omp_barrier},
    {OTF2_REGION_ROLE_IMPLICIT_BARRIER, CallId::omp_implicit_barrier},
    {OTF2_REGION_ROLE_TASK_WAIT, CallId::omp_taskwait},
};

}  // namespace

RegionTable::RegionTable(const Definitions& definitions) {
  for (const auto& [self, region] : definitions.regions) {
    RegionUse& use = uses_[self];
    use.call = definitions.call_of(region);
    const auto level = std::ranges::find(kLevels, region.paradigm, &LevelRow::paradigm);
    use.level = level == std::end(kLevels) ? "region" : level->level;
    use.is_openmp = region.paradigm == OTF2_PARADIGM_OPENMP;
    const auto waits = std::ranges::find(kTeamWaits, region.role, &WaitRow::role);
    if (use.is_openmp && use.call == CallId::none && waits != std::end(kTeamWaits)) use.waits = waits->call;
    use.name = definitions.text(region.name);
    if (use.name.empty()) use.name = unknown_.name;
  }
}

const RegionUse& RegionTable::of(OTF2_RegionRef region) const {
  const auto found = uses_.find(region);
  return found == uses_.end() ? unknown_ : found->second;
}

}  // namespace meridian::imported
