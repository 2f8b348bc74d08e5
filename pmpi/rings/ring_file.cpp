// SPDX-License-Identifier: Apache-2.0
// Creation of the ring file.

#include "pmpi/rings/ring_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <new>

#include "pmpi/process/clock.hpp"
#include "pmpi/process/program.hpp"
#include "pmpi/process/session_state.hpp"
#include "trace/ring/process_start.hpp"
#include "trace/ring/ring_name.hpp"
#include "trace/ring/sample_layout.hpp"

namespace meridian {
namespace {

constexpr std::int64_t kLongestKeptS = 10 * 366 * 86400LL;
constexpr std::int64_t kModeProfile = 1, kModeRecorder = 2;  // values of MERIDIAN_MODE
constexpr std::int64_t kBySignal = 1;                        // of MERIDIAN_SAMPLES_BY

/// Room to leave free in a default scratch directory.
constexpr std::uint64_t kSpareBytes = 8u << 20;
constexpr std::uint64_t kCardBytes = (kCards + kLibraryCards) * sizeof(ThreadCard);

/// Makes "<scratch>/meridian-<uid>", which only this user can access; false if that fails or it belongs to another
/// user. The path is absolute: threads open the ring file later, when the program may be in another directory.
bool make_private_dir(const char* scratch, std::size_t length, char* path, std::size_t room) noexcept {
  char here[kPathBytes] = "";
  if (scratch[0] != '/' && getcwd(here, sizeof here) == nullptr) return false;
  const int written = snprintf(path, room, "%s%s%.*s/meridian-%u", here, here[0] != '\0' ? "/" : "",
                               static_cast<int>(length), scratch, getuid());
  if (written < 0 || static_cast<std::size_t>(written) >= room) return false;
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  if (lstat(path, &status) != 0 || access(path, W_OK) != 0) return false;
  const bool is_ours = status.st_uid == geteuid() && (status.st_mode & 0022) == 0;
  errno = !S_ISDIR(status.st_mode) ? ENOTDIR : EPERM;
  return S_ISDIR(status.st_mode) && is_ours;
}

bool has_room(const char* path) noexcept {
  struct statvfs fs {};
  return statvfs(path, &fs) == 0 && static_cast<std::uint64_t>(fs.f_bavail) * fs.f_frsize >= kSpareBytes;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept { return (value + unit - 1) / unit * unit; }

/// The layout of a ring file.
struct RingPlan {
  std::uint32_t slots = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t ring_bytes = 0;
  std::uint64_t data_offset = 0;
  std::uint64_t cards_offset = 0;
  std::uint64_t samples_offset = 0;
  bool has_samples = false;

  std::uint64_t file_bytes() const noexcept { return samples_offset + (has_samples ? kAllSampleBytes : 0); }
};

/// Samples of a long run take more room than its sums, and without call sites their modules are not stored.
std::uint32_t sample_hz() noexcept {
  const bool has_modules = g_session.options.is_on(OptionId::sites) || g_session.options.number(OptionId::stack) != 0;
  if (!has_modules || g_session.options.number(OptionId::mode) == kModeProfile) return 0;
  return static_cast<std::uint32_t>(g_session.options.number(OptionId::samples));
}

/// Plans the layout. A file that exceeds the limit on file sizes would end the program with SIGXFSZ, so fewer threads
/// get rings.
RingPlan plan_ring() noexcept {
  const auto buffer = static_cast<std::uint64_t>(g_session.options.number(OptionId::buffer));
  constexpr std::uint64_t kMaxBlock = 256u << 10;
  RingPlan plan;
  plan.has_samples = sample_hz() != 0 && g_session.options.number(OptionId::samples_by) == kBySignal;
  plan.block_bytes = buffer / 8;
  plan.block_bytes = plan.block_bytes > kMaxBlock ? kMaxBlock
                     : plan.block_bytes < 65536   ? 65536
                                                  : plan.block_bytes / kRingPageBytes * kRingPageBytes;
  plan.ring_bytes = round_up(buffer, plan.block_bytes);
  rlimit limit{};
  const bool has_limit = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (has_limit && limit.rlim_cur / 2 < kAllSampleBytes) plan.has_samples = false;
  for (plan.slots = static_cast<std::uint32_t>(g_session.options.number(OptionId::max_threads));; plan.slots /= 2) {
    plan.data_offset = round_up(kRingPageBytes + plan.slots * sizeof(RingSlot), kRingPageBytes);
    plan.cards_offset = round_up(plan.data_offset + plan.slots * plan.ring_bytes, kRingPageBytes);
    plan.samples_offset = round_up(plan.cards_offset + kCardBytes, kRingPageBytes);
    if (plan.slots == 0 || !has_limit || plan.file_bytes() <= limit.rlim_cur) return plan;
  }
}

struct RingMaps {
  void* head = MAP_FAILED;
  void* cards = MAP_FAILED;
};

/// Makes the ring file in `dir`, with memory for its head, its cards and the first thread's ring. False: errno.
bool make_ring_file(const char* dir, const char* host, std::uint64_t start, const RingPlan& plan,
                    RingMaps& maps) noexcept {
  RingName name{.pid = getpid(), .start = start, .pid_namespace = own_pid_namespace()};
  set_host(name, host);
  if (!write_ring_path(dir, name, g_session.ring_path, sizeof g_session.ring_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  unlink(g_session.ring_path);  // left by a process image before exec, which is no longer needed
  const int fd = open(g_session.ring_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  const auto provide = [&](std::uint64_t offset, std::uint64_t bytes) noexcept {
    errno = posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    return errno == 0;
  };
  if (ftruncate(fd, static_cast<off_t>(plan.file_bytes())) == 0 &&
      provide(0, plan.data_offset + (plan.slots != 0 ? plan.ring_bytes : 0)) &&
      provide(plan.cards_offset, kCardBytes) && (!plan.has_samples || provide(plan.samples_offset, kSampleHeadBytes))) {
    maps.head = mmap(nullptr, plan.data_offset, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (maps.head != MAP_FAILED)
      maps.cards =
          mmap(nullptr, kCardBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(plan.cards_offset));
  }
  const int error = errno;
  close(fd);
  if (maps.head != MAP_FAILED) return true;
  unlink(g_session.ring_path);
  errno = error;
  return false;
}

/// Makes it in MERIDIAN_SCRATCH, otherwise in the first directory with room.
bool make_ring_somewhere(const char* host, std::uint64_t start, const RingPlan& plan, RingMaps& maps) noexcept {
  char dir[kPathBytes - 512];
  const std::string_view wanted = g_session.options.path(OptionId::scratch);
  if (!wanted.empty()) {
    if (make_private_dir(wanted.data(), wanted.size(), dir, sizeof dir) && make_ring_file(dir, host, start, plan, maps))
      return true;
    say("cannot use MERIDIAN_SCRATCH '%.*s' (%s); trying the default", static_cast<int>(wanted.size()), wanted.data(),
        strerror(errno));
  }
  for (const char* place : {"/dev/shm", static_cast<const char*>(getenv("TMPDIR")), "/tmp"})
    if (place != nullptr && make_private_dir(place, strlen(place), dir, sizeof dir) && has_room(dir) &&
        make_ring_file(dir, host, start, plan, maps))
      return true;
  say("no scratch directory has room for a ring file (tried MERIDIAN_SCRATCH, /dev/shm, $TMPDIR, /tmp): %s",
      strerror(errno));
  return false;
}

}  // namespace

bool create_ring() noexcept {
  const RingPlan plan = plan_ring();
  if (plan.slots == 0) {
    say("the limit on the size of files (`ulimit -f`) leaves no room for a ring file");
    return false;
  }
  char host[kNameBytes] = {};
  gethostname(host, sizeof host - 1);
  const std::uint64_t start = process_start(getpid());
  RingMaps maps;
  if (!make_ring_somewhere(host, start, plan, maps)) return false;
  void* const table =
      mmap(nullptr, plan.slots * sizeof(void*), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) {
    say("cannot set up the ring file '%s': %s", g_session.ring_path, strerror(errno));
    unlink(g_session.ring_path);
    return false;
  }
  madvise(maps.head, plan.data_offset, MADV_DONTFORK);
  auto* const ring = new (maps.head) RingFileHeader;
  ring->slot_count = plan.slots;
  ring->ring_bytes = plan.ring_bytes;
  ring->block_bytes = plan.block_bytes;
  ring->data_offset = plan.data_offset;
  ring->domain = clock_domain();
  ring->pid = getpid();
  ring->clock = g_clock;
  ring->process_start = start;
  ring->spool_bytes = static_cast<std::uint64_t>(g_session.options.number(OptionId::spool));
  ring->is_profile = g_session.options.number(OptionId::mode) == kModeProfile ? 1 : 0;
  if (g_session.options.number(OptionId::mode) == kModeRecorder) {
    const std::int64_t keep = g_session.options.number(OptionId::keep);
    if (keep > 0)
      ring->keep_bytes = static_cast<std::uint64_t>(keep);
    else
      ring->keep_ns = static_cast<std::uint64_t>(std::min(-keep, kLongestKeptS)) * 1'000'000'000;
  }
  ring->short_calls = kShortCallsAThrottle * static_cast<std::uint64_t>(g_session.options.number(OptionId::throttle));
  ring->sample_hz = sample_hz();
  memcpy(ring->hostname, host, sizeof host);
  read_program(ring->executable, sizeof ring->executable);
  if (maps.cards != MAP_FAILED) {  // stay mapped in forked children: a child made without fork() may still count
    ring->card_count = kCards;
    ring->cards_offset = plan.cards_offset;
    g_session.cards = static_cast<ThreadCard*>(maps.cards);
    ring->sample_buffers_offset = plan.has_samples ? plan.samples_offset : 0;
  }
  ring->version = kRingVersion;
  std::atomic_thread_fence(std::memory_order_release);
  ring->magic = kRingMagic;
  g_session.ring = ring;
  g_session.slots = reinterpret_cast<RingSlot*>(static_cast<char*>(maps.head) + kRingPageBytes);
  for (std::uint32_t i = 0; i < plan.slots; ++i) new (&g_session.slots[i]) RingSlot;
  g_session.slot_data = static_cast<std::uint64_t**>(table);
  return true;
}

void* map_ring_part(std::uint64_t offset, std::uint64_t bytes) noexcept {
  const int fd = open(g_session.ring_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return nullptr;
  const auto from = static_cast<off_t>(offset);
  void* memory = MAP_FAILED;
  int error = posix_fallocate(fd, from, static_cast<off_t>(bytes));
  if (error == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, from);
    error = errno;
  }
  close(fd);
  if (memory == MAP_FAILED) {
    errno = error;
    return nullptr;
  }
  madvise(memory, bytes, MADV_DONTFORK);
  return memory;
}

}  // namespace meridian
