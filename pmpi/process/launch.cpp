// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/launch.hpp"

#include <stdlib.h>

namespace meridian {
namespace {

const char* first_set(const char* const* names) noexcept {
  for (; *names != nullptr; ++names) {
    const char* const value = getenv(*names);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

}  // namespace

int launched_rank() noexcept {
  static constexpr const char* kNames[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", nullptr};
  const char* const value = first_set(kNames);
  return value != nullptr ? atoi(value) : -1;
}

// SLURM_NTASKS is that of the allocation: a program that was not started by srun may have it.
int launched_size() noexcept {
  static constexpr const char* kNames[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", nullptr};
  const char* const value = first_set(kNames);
  return value != nullptr ? atoi(value) : -1;
}

const char* launched_job() noexcept {
  static constexpr const char* kNames[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", nullptr};
  const char* const value = first_set(kNames);
  return value != nullptr ? value : "";
}

}  // namespace meridian
