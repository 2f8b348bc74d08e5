// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/traced_ranks.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "pmpi/process/launch.hpp"
#include "pmpi/process/session_state.hpp"
#include "trace/model/rank_list.hpp"

namespace meridian {
namespace {

struct Census {
  int socket = -1;
  char prefix[64] = {};  ///< of the names of this job's sockets
  std::int32_t* ranks = nullptr;
  int count = 0;
};
constinit Census g_census;

/// FNV-1a.
std::uint64_t add(std::uint64_t hash, const void* data, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3ULL;
  return hash;
}

/// The process at the other end of MPICH's connection to its launcher, the same for all ranks of a host.
bool find_proxy(const char* descriptor, pid_t& pid) noexcept {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (descriptor == nullptr || getsockopt(atoi(descriptor), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return false;
  pid = peer.pid;
  return pid > 0;
}

/// A number that the ranks of one job on this host share, and no other job has. False: the launcher gives none.
bool job_key(std::uint64_t& key) noexcept {
  bool has_name = false;
  key = 0xcbf29ce484222325ULL;
  for (const char* name : {"PMIX_NAMESPACE", "PMIX_SERVER_URI2", "PMI_PORT", "SLURM_STEP_ID"})
    if (const char* const value = getenv(name); value != nullptr && value[0] != '\0') {
      has_name = true;
      key = add(add(key, name, strlen(name)), value, strlen(value));
    }
  if (const char* const job = getenv("SLURM_JOB_ID"); job != nullptr) key = add(key, job, strlen(job));
  pid_t proxy = 0;
  if (find_proxy(getenv("PMI_FD"), proxy)) {
    has_name = true;
    key = add(key, &proxy, sizeof proxy);
  }
  return has_name;
}

/// With these settings Open MPI does not wait in MPI_Init until all ranks have entered it.
bool may_be_incomplete() noexcept {
  for (const char* name : {"OMPI_MCA_async_mpi_init", "OMPI_MCA_ompi_async_mpi_init"})
    if (const char* const value = getenv(name); value != nullptr && value[0] != '\0' && strcmp(value, "0") != 0)
      return true;
  return false;
}

/// Stores the rank of a line of /proc/net/unix that ends with the name of one of the job's sockets.
void take_line(const char* line, const char* end, int size) noexcept {
  const std::size_t length = strlen(g_census.prefix);
  const char* name = end;
  while (name > line && name[-1] != ' ') --name;
  if (static_cast<std::size_t>(end - name) <= length + 1 || name[0] != '@' ||
      memcmp(name + 1, g_census.prefix, length) != 0)
    return;
  std::int64_t rank = 0;
  name += 1 + length;
  if (parse_rank({name, static_cast<std::size_t>(end - name)}, rank) && rank < size && g_census.count < size)
    g_census.ranks[g_census.count++] = static_cast<std::int32_t>(rank);
}

/// Reads the list of sockets. False: it cannot be read.
bool read_sockets(int size) noexcept {
  const int fd = open("/proc/net/unix", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[16384];
  std::size_t kept = 0;
  for (ssize_t got; (got = read(fd, text + kept, sizeof text - kept)) > 0 || (got < 0 && errno == EINTR);) {
    if (got < 0) continue;
    const char* const end = text + kept + got;
    const char* line = text;
    while (const auto* const stop =
               static_cast<const char*>(memchr(line, '\n', static_cast<std::size_t>(end - line)))) {
      take_line(line, stop, size);
      line = stop + 1;
    }
    kept = static_cast<std::size_t>(end - line);
    memmove(text, line, kept);
    if (kept == sizeof text) kept = 0;  // longer than any name of ours
  }
  close(fd);
  return true;
}

void sort_ranks() noexcept {
  for (int i = 1; i < g_census.count; ++i)
    for (int j = i; j > 0 && g_census.ranks[j] < g_census.ranks[j - 1]; --j) {
      const std::int32_t rank = g_census.ranks[j];
      g_census.ranks[j] = g_census.ranks[j - 1];
      g_census.ranks[j - 1] = rank;
    }
}

}  // namespace

bool join_census() noexcept {
  std::uint64_t key = 0;
  if (g_census.socket >= 0 || launched_rank() < 0 || may_be_incomplete() || !job_key(key)) return true;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  snprintf(g_census.prefix, sizeof g_census.prefix, "meridian-%u-%016llx-", getuid(),
           static_cast<unsigned long long>(key));
  const int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "%s%d", g_census.prefix, launched_rank());
  g_census.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (g_census.socket < 0) return false;
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path)) + 1 + static_cast<socklen_t>(length);
  if (bind(g_census.socket, reinterpret_cast<const sockaddr*>(&name), bytes) == 0) return true;
  leave_census();
  return false;
}

bool take_census(int size) noexcept {
  const int local_size = launched_local_size();
  if (g_census.socket < 0 || size <= 1 || local_size <= 0) return false;
  void* const memory = mmap(nullptr, static_cast<std::size_t>(size) * sizeof(std::int32_t), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  g_census.ranks = static_cast<std::int32_t*>(memory);
  if (read_sockets(size) && g_census.count > 0 && g_census.count < local_size) {
    sort_ranks();
    return true;
  }
  munmap(memory, static_cast<std::size_t>(size) * sizeof(std::int32_t));
  g_census.ranks = nullptr;
  g_census.count = 0;
  return false;
}

const std::int32_t* listed_ranks(int& count) noexcept {
  count = g_census.count;
  return g_census.ranks;
}

void leave_census() noexcept {
  if (g_census.socket >= 0) close(g_census.socket);
  g_census.socket = -1;
}

bool is_traced_rank(std::int32_t rank) noexcept {
  if (!list_has_rank(g_session.options[OptionId::ranks].text, rank)) return false;
  bool is_listed = g_census.ranks == nullptr;
  for (int i = 0; i < g_census.count && !is_listed; ++i) is_listed = g_census.ranks[i] == rank;
  return is_listed;
}

}  // namespace meridian
