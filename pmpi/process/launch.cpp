// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/launch.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int launched_local_size() noexcept {
  static constexpr const char* kNames[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PALS_LOCAL_SIZE", nullptr};
  const char* const value = first_set(kNames);
  if (value != nullptr) return atoi(value);
  // "2(x3),1": 2 on each of three nodes, 1 on the fourth.
  const char* list = getenv("SLURM_STEP_TASKS_PER_NODE");
  const char* const node = getenv("SLURM_NODEID");
  if (list == nullptr || node == nullptr) return -1;
  for (long left = atol(node); *list != '\0';) {
    char* end = nullptr;
    const long tasks = strtol(list, &end, 10);
    long times = 1;
    if (strncmp(end, "(x", 2) == 0) times = strtol(end + 2, &end, 10);
    if (left < times) return static_cast<int>(tasks);
    left -= times;
    if (*end == ')') ++end;
    if (*end != ',') return -1;
    list = end + 1;
  }
  return -1;
}

// The launcher is in no rank: it lacks the variables that its children have.
bool is_first_of_rank() noexcept {
  static constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_RANK=", "PMI_RANK=", "PMIX_RANK="};
  if (launched_rank() < 0) return false;
  char text[16 * 1024];  // a longer environment counts as one of a rank
  snprintf(text, sizeof text, "/proc/%d/environ", getppid());
  const int fd = open(text, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0) close(fd);
  if (length < 0 || length == static_cast<ssize_t>(sizeof text - 1)) return false;
  text[length] = '\0';
  for (const char* entry = text; entry < text + length; entry += strlen(entry) + 1)
    for (const char* const variable : kVariables)
      if (strncmp(entry, variable, strlen(variable)) == 0) return false;
  return true;
}

const char* launched_job() noexcept {
  static constexpr const char* kNames[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", nullptr};
  const char* const value = first_set(kNames);
  return value != nullptr ? value : "";
}

}  // namespace meridian
