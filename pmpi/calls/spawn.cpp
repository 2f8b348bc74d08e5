// SPDX-License-Identifier: Apache-2.0
#include "pmpi/calls/spawn.hpp"
#include "pmpi/process/heritage.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmpi/libraries/real.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/thread_state.hpp"

namespace meridian {
namespace {

constexpr int kMostWorlds = 100'000;

std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ value >> 31) * 0x9e3779b97f4a7c15ULL;
  return value ^ value >> 29;
}

/// Makes a token that is unique among all calls of all processes.
void make_token(char* token, std::size_t room) noexcept {
  static std::atomic<std::uint64_t> calls{0};
  const RingFileHeader& ring = *g_session.ring;
  std::uint64_t value = mixed(ring.domain ^ read_ticks());
  value = mixed(value ^ ring.process_start << 32 ^ static_cast<std::uint64_t>(ring.pid));
  snprintf(token, room, "%016llx", static_cast<unsigned long long>(mixed(value + calls.fetch_add(1))));
}

/// The directory of the whole trace: that of the world from which all others descend.
void top_directory(char* path) noexcept {
  memcpy(path, g_session.ring->output_dir, kPathBytes);
  Heritage heritage;
  read_heritage(heritage);
  const std::size_t length = strlen(heritage.directory);
  if (length == 0 || !has_parents() || strncmp(path, heritage.directory, length) != 0) return;
  if (char* const slash = strrchr(path, '/')) *slash = '\0';
}

/// Makes `top`/world-2, or -3, ...: the first that does not exist. False on failure.
bool make_world_directory(const char* top, char* made) noexcept {
  static std::atomic<int> next{2};
  for (int number = next.load(); number < kMostWorlds; ++number) {
    if (snprintf(made, kPathBytes, "%s/world-%d", top, number) >= static_cast<int>(kPathBytes)) break;
    if (mkdir(made, 0700) == 0) {
      next.store(number + 1);
      return true;
    }
    if (errno != EEXIST) break;
  }
  made[0] = '\0';
  return false;
}

/// Options that name a file: the children may have another working directory.
bool is_file_name(OptionId id, std::string_view value) noexcept {
  const bool is_one =
      id == OptionId::scratch || id == OptionId::events || id == OptionId::filter || id == OptionId::writer;
  return is_one && !value.empty() && value.front() != '/' && value != "none";
}

/// Stores this process's settings for its children unless the file exists.
void store_settings(const char* top) noexcept {
  char path[kPathBytes + 64];
  char beside[kPathBytes + 64];
  snprintf(path, sizeof path, "%s/%s", top, kSpawnedConfig.data());
  if (access(path, F_OK) == 0) return;
  snprintf(beside, sizeof beside, "%s/.spawned-%d", top, getpid());
  unlink(beside);  // left by a process with the same number that was killed
  const int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  char cwd[kPathBytes];
  if (getcwd(cwd, sizeof cwd) == nullptr) cwd[0] = '\0';
  for (std::size_t i = 0; i < kOptionCount; ++i) {
    const OptionValue& value = g_session.options.values[i];
    const auto id = static_cast<OptionId>(i);
    if (value.source == OptionSource::fallback || id == OptionId::dir || id == OptionId::config) continue;
    const bool is_relative = is_file_name(id, value.text);
    dprintf(fd, "%s = %s%s%.*s\n", kOptions[i].key.data(), is_relative ? cwd : "", is_relative ? "/" : "",
            static_cast<int>(value.text.size()), value.text.data());
  }
  close(fd);
  if (rename(beside, path) != 0) unlink(beside);
}

#ifdef OPEN_MPI
constexpr bool kCanTell = true;

// The keys of an info with environment variables for the children, one per line.
constexpr const char* kEnvKey = "env";
constexpr const char* kNewEnvKey = "PMIX_ENVAR";  // of Open MPI 5, which prints a warning for the other one

/// The one that the library does not object to.
const char* own_env_key() noexcept {
  static constexpr char kName[] = "Open MPI v";
  constexpr std::size_t kAt = sizeof kName - 1;
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  g_real.Get_library_version(text, &length);
  const bool is_old = strncmp(text, kName, kAt) == 0 && text[kAt] < '5' && text[kAt + 1] == '.';
  return is_old ? kEnvKey : kNewEnvKey;
}

/// LD_PRELOAD for the children: this library, if it was preloaded here. Empty: it is linked.
void preload_setting(const char* theirs, std::size_t their_length, char* line, std::size_t room) noexcept {
  line[0] = '\0';
  const char* const preloaded = getenv("LD_PRELOAD");
  Dl_info self{};
  if (preloaded == nullptr || dladdr(reinterpret_cast<void*>(&g_session), &self) == 0 ||
      strstr(preloaded, self.dli_fname) == nullptr)
    return;
  // The children's value without the tracer: their own, or that of the process that started `meridian run`.
  const char* const before = getenv(kRunVariable.data());
  if (theirs == nullptr && before != nullptr) {
    theirs = before;
    their_length = strlen(before);
  }
  // `meridian run` placed it after the tracer here; an info has little room to repeat that for the children.
  const bool has_sanitizer = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
  snprintf(line, room, "LD_PRELOAD=%s%s%.*s\n%s", self.dli_fname, their_length != 0 ? ":" : "",
           static_cast<int>(their_length), theirs != nullptr ? theirs : "",
           has_sanitizer ? "ASAN_OPTIONS=verify_asan_link_order=0\n" : "");
}

/// Joins the program's lines in `given` and ours. False: the result exceeds the length of an info value.
bool join_settings(const char* given, const char* token, const char* directory, char* joined,
                   std::size_t room) noexcept {
  static constexpr const char kPreload[] = "LD_PRELOAD=";
  const char* theirs = nullptr;
  std::size_t their_length = 0;
  std::size_t used = 0;
  while (*given != '\0') {
    const std::size_t length = strcspn(given, "\n");
    if (strncmp(given, kPreload, sizeof kPreload - 1) == 0) {
      theirs = given + sizeof kPreload - 1;
      their_length = length - (sizeof kPreload - 1);
    } else {
      if (used + length + 1 >= room) return false;
      memcpy(joined + used, given, length);
      used += length;
      joined[used++] = '\n';
    }
    given += length + (given[length] == '\n' ? 1 : 0);
  }
  char preload[kPathBytes];
  preload_setting(theirs, their_length, preload, sizeof preload);
  const int length =
      snprintf(joined + used, room - used, "%s%s=%s:%s", preload, kSpawnedVariable.data(), token, directory);
  return length > 0 && used + static_cast<std::size_t>(length) < room;
}

/// A copy of `given` that carries the token to the children; MPI_INFO_NULL on failure.
MPI_Info copy_with_heritage(MPI_Info given, const char* token, const char* directory) noexcept {
  char before[MPI_MAX_INFO_VAL + 1] = "";
  char after[MPI_MAX_INFO_VAL];  // Open MPI counts the terminating zero
  int is_there = 0;
  const char* key = kEnvKey;
  for (const char* const tried : {kEnvKey, own_env_key()}) {  // the program's own variables stay where they are
    if (is_there) break;
    key = tried;
    if (given != g_mpi.info_null && g_real.Info_get(given, key, MPI_MAX_INFO_VAL, before, &is_there) != MPI_SUCCESS)
      return g_mpi.info_null;
  }
  if (!join_settings(is_there ? before : "", token, directory, after, sizeof after)) return g_mpi.info_null;
  MPI_Info copy = g_mpi.info_null;
  const int made = given != g_mpi.info_null ? g_real.Info_dup(given, &copy) : g_real.Info_create(&copy);
  if (made != MPI_SUCCESS) return g_mpi.info_null;
  if (g_real.Info_set(copy, key, after) == MPI_SUCCESS) return copy;
  g_real.Info_free(&copy);
  return g_mpi.info_null;
}
#else
// The launcher of this MPI library cannot pass an environment: the children are traced only if they get the tracer by
// other means.
constexpr bool kCanTell = false;
MPI_Info copy_with_heritage(MPI_Info, const char*, const char*) noexcept { return g_mpi.info_null; }
#endif

}  // namespace

bool has_parents() noexcept {
  MPI_Comm parents = g_mpi.comm_null;
  return g_real.Comm_get_parent(&parents) == MPI_SUCCESS && parents != g_mpi.comm_null;
}

Offspring::Offspring(MPI_Comm comm, int root) noexcept {
  if (g_session.state.load(std::memory_order_acquire) != SessionState::on || is_inside_call() ||
      !g_session.is_initialized.load() || comm == g_mpi.comm_null)
    return;
  const BusyThread busy;  // MPI calls made for the tracer are not the program's
  int rank = -1;
  if (g_real.Comm_rank(comm, &rank) != MPI_SUCCESS || rank != root) return;
  is_root_ = true;
  if (!kCanTell || !g_session.options.is_on(OptionId::children)) return;
  char top[kPathBytes];
  top_directory(top);
  if (!make_world_directory(top, path_)) return;
  store_settings(top);
  make_token(token_, sizeof token_);
}

Offspring::~Offspring() {
  const BusyThread busy;
  for (int i = 0; i < count_; ++i)
    if (copies_[i] != g_mpi.info_null) g_real.Info_free(&copies_[i]);
  if (mapped_bytes_ != 0) munmap(copies_, mapped_bytes_);
  if (is_told() && !is_stored_) rmdir(path_);  // no child was started
}

const MPI_Info* Offspring::infos(int count, const MPI_Info* given) noexcept {
  if (!is_told() || given == nullptr || count < 1) return given;
  const BusyThread busy;
  if (count > kOnStack) {
    mapped_bytes_ = 2 * static_cast<std::size_t>(count) * sizeof *given;
    void* const memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      mapped_bytes_ = 0;
      return given;
    }
    copies_ = static_cast<MPI_Info*>(memory);
  }
  bool has_all = true;
  for (; count_ < count && has_all; ++count_) {
    copies_[count_] = copy_with_heritage(given[count_], token_, path_);
    has_all = copies_[count_] != g_mpi.info_null;
  }
  if (has_all) return copies_;
  static std::atomic<bool> is_said{false};
  if (!is_said.exchange(true))
    say("the processes that MPI_Comm_spawn starts are not told that they are traced: the paths of the trace and of the "
        "tracer, and what the program says in the info '%s', are together longer than an info may be (%d bytes)",
        "env", MPI_MAX_INFO_VAL - 1);
  snprintf(token_, sizeof token_, "-");
  rmdir(path_);
  path_[0] = '\0';
  return given;
}

MPI_Info Offspring::info(MPI_Info given) noexcept { return *infos(1, &given); }

void Offspring::store(MPI_Comm intercomm) noexcept {
  if (!is_root_ || intercomm == g_mpi.comm_null) return;
  is_stored_ = true;
  store_link(intercomm, "spawn", token_);
}

}  // namespace meridian
