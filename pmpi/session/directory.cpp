// SPDX-License-Identifier: Apache-2.0
// The output directory: one name for all ranks, never one that contains another run.

#include "pmpi/session/directory.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pmpi/calls/spawn.hpp"
#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/heritage.hpp"
#include "pmpi/process/launch.hpp"
#include "pmpi/process/program.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/session/directory_pattern.hpp"

namespace meridian {
namespace {

bool make_parents(const char* path) noexcept {
  char part[kPathBytes];
  snprintf(part, sizeof part, "%s", path);
  for (char* slash = strchr(part + 1, '/'); slash != nullptr; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return true;
}

/// True for a directory that can hold a trace: empty, or without files of another run.
bool holds_no_trace(const char* path) noexcept {
  DIR* const dir = opendir(path);
  if (dir == nullptr) return false;
  bool is_clean = true;
  while (const dirent* const entry = readdir(dir))
    if (strncmp(entry->d_name, "rank-", 5) == 0 || strcmp(entry->d_name, "merged.h5") == 0) is_clean = false;
  closedir(dir);
  return is_clean;
}

/// Makes `base`, or base-2, base-3, ... until one is new (if `may_exist`: or exists without a trace).
bool make_directory(const char* base, bool may_exist, char* made) noexcept {
  if (!make_parents(base)) return false;
  for (int number = 1; number < 10000; ++number) {
    const int length =
        number == 1 ? snprintf(made, kPathBytes, "%s", base) : snprintf(made, kPathBytes, "%s-%d", base, number);
    if (length < 0 || length >= static_cast<int>(kPathBytes) - 32) {
      errno = ENAMETOOLONG;
      return false;
    }
    if (mkdir(made, 0700) == 0) return true;
    if (errno != EEXIST) return false;
    struct stat status {};
    if (may_exist && stat(made, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid != geteuid()) {
      errno = EPERM;  // its owner could exchange or read the trace
      return false;
    }
    if (may_exist && access(made, W_OK) == 0 && holds_no_trace(made)) return true;
    if (may_exist && stat(made, &status) == 0 && !S_ISDIR(status.st_mode)) {
      errno = ENOTDIR;
      return false;
    }
    if (may_exist && access(made, W_OK) != 0) return false;
  }
  return false;
}

/// The program's name without characters that are unsuitable for file names.
void program_name(char* name, std::size_t room) noexcept {
  char path[kPathBytes];
  read_program(path, sizeof path);
  const char* const slash = strrchr(path, '/');
  snprintf(name, room, "%.100s", slash != nullptr ? slash + 1 : path);
  for (char* c = name; *c != '\0'; ++c)
    if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-", *c) == nullptr) *c = '_';
}

/// Points `latest` in the working directory to `made`; a file of that name that is not a link remains.
void link_latest(const char* made) noexcept {
  struct stat status {};
  if (lstat("latest", &status) == 0 && !S_ISLNK(status.st_mode)) return;
  char beside[64];
  snprintf(beside, sizeof beside, ".latest-%d", getpid());
  const char* const slash = strrchr(made, '/');
  if (symlink(slash != nullptr ? slash + 1 : made, beside) != 0) return;
  if (rename(beside, "latest") != 0) unlink(beside);
}

/// Uses the directory that the parents' tracer has named for this world; false: there is none.
bool create_for_parents(char* path) noexcept {
  Heritage heritage;
  read_heritage(heritage);
  return heritage.directory[0] != '\0' && has_parents() && make_directory(heritage.directory, true, path);
}

/// Creates the directory at rank 0 and returns its absolute path; an empty path means failure, which was reported.
void create_at_root(char* path) noexcept {
  if (create_for_parents(path)) return;
  char base[kPathBytes];
  const std::string_view wanted = g_session.options.path(OptionId::dir);
  char cwd[kPathBytes / 2] = "";
  if (getcwd(cwd, sizeof cwd) == nullptr) cwd[0] = '\0';
  if (!wanted.empty()) {
    const bool is_absolute = wanted.front() == '/';
    char expanded[kPathBytes];
    expand_pattern(wanted, expanded, sizeof expanded);
    const int length = snprintf(base, sizeof base, "%s%s%s", is_absolute ? "" : cwd, is_absolute ? "" : "/", expanded);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof base) {
      say("the name of the output directory is longer than %zu bytes; set MERIDIAN_DIR to a shorter one",
          sizeof base - 1);
      path[0] = '\0';
      return;
    }
    for (std::size_t end = strlen(base); end > 1 && base[end - 1] == '/'; --end) base[end - 1] = '\0';
  } else {
    char name[128];
    program_name(name, sizeof name);
    char stamp[32];
    const time_t now = time(nullptr);
    tm local{};
    localtime_r(&now, &local);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    char job[64];
    snprintf(job, sizeof job, "%s", launched_job());
    if (job[0] == '\0') snprintf(job, sizeof job, "%d", getpid());
    snprintf(base, sizeof base, "%s/meridian-%s-%s-%s", cwd, name, stamp, job);
  }
  if (!make_directory(base, !wanted.empty(), path)) {
    const char* const reason = errno == EPERM ? "a directory of this name belongs to another user" : strerror(errno);
    say("cannot create the output directory '%s': %s; set MERIDIAN_DIR to a writable one", base, reason);
    path[0] = '\0';
    return;
  }
  if (wanted.empty()) {
    link_latest(path);
  } else if (strcmp(path, base) != 0) {
    say("'%s' holds another trace; this one goes to '%s'", base, path);
  }
}

/// Stores the path of this rank's ring for the merger, in case the writer fails.
void leave_note(const char* directory, int rank) noexcept {
  char path[kPathBytes + 64];
  char text[kNameBytes + kPathBytes + 2];
  snprintf(path, sizeof path, "%s/rank-%05d.ring", directory, rank);
  const int length = snprintf(text, sizeof text, "%s\n%s\n", g_session.ring->hostname, g_session.ring_path);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool is_written = fd >= 0 && write(fd, text, static_cast<std::size_t>(length)) == length;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (is_written) return;
  if (fd >= 0) unlink(path);  // an incomplete note would be useless
  say("cannot write '%s' (%s): should the writer of this rank fail, `meridian merge` will not find '%s'", path,
      strerror(error), g_session.ring_path);
}

/// This rank's own part: the directory, if it is on a local file system, and the note about its ring.
bool take_place(const char* path, const TracedPeers& peers) noexcept {
  const int rank = peers.world_rank;
  if (peers.rank != 0 && mkdir(path, 0700) != 0 && errno != EEXIST && (!make_parents(path) || mkdir(path, 0700) != 0)) {
    say("rank %d cannot create the output directory '%s': %s; it is not traced", rank, path, strerror(errno));
    return false;
  }
  leave_note(path, rank);
  memcpy(g_session.ring->output_dir, path, kPathBytes);
  return true;
}

}  // namespace

Agreement agree_on_directory(const TracedPeers& peers) noexcept {
  char path[kPathBytes] = {};
  const bool has_ring = g_session.refusal == Refusal::none;
  const std::uint64_t has_none = has_ring ? 0 : 1;
  std::uint64_t nobody_has = 1;
  g_real.Allreduce(&has_none, &nobody_has, 1, g_mpi.uint64, g_mpi.min, peers.comm);
  if (nobody_has != 0 && !g_session.options.is_on(OptionId::strict)) return {};  // does not leave an empty directory
  // A first rank that does not record makes the directory for the ranks that do.
  if (peers.rank == 0 && g_session.refusal != Refusal::unwanted) create_at_root(path);
  g_real.Bcast(path, static_cast<int>(sizeof path), g_mpi.byte, 0, peers.comm);
  Agreement agreement{.has_directory = path[0] != '\0'};
  agreement.is_recording = agreement.has_directory && has_ring && take_place(path, peers);
  const bool is_meant_to = g_session.refusal == Refusal::none || g_session.refusal == Refusal::no_ring;
  const bool is_strict = is_meant_to && g_session.options.is_on(OptionId::strict);
  constexpr std::uint64_t kNone = INT64_MAX;  // MPICH 4.0 compares numbers of this type as signed ones
  const std::uint64_t mine[2] = {agreement.is_recording || !is_strict ? 1u : 0u,
                                 agreement.is_recording ? static_cast<std::uint64_t>(peers.rank) : kNone};
  std::uint64_t all[2] = {1, kNone};
  g_real.Allreduce(mine, all, 2, g_mpi.uint64, g_mpi.min, peers.comm);
  agreement.is_refused = all[0] == 0;
  agreement.is_first = agreement.is_recording && all[1] == mine[1];
  return agreement;
}

}  // namespace meridian
