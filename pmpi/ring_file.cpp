// Creation of the ring file.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <new>

#include "pmpi/clock.hpp"
#include "pmpi/session.hpp"

namespace meridian {
namespace {

/// Room that a scratch directory must have before it is taken by default.
constexpr std::uint64_t kScratchBytes = 16u << 20;

/// "<scratch>/meridian-<uid>", ours alone; false when it cannot be had or belongs to somebody else.
bool make_private_dir(const char* scratch, std::size_t length, char* path, std::size_t room) noexcept {
  const int written = snprintf(path, room, "%.*s/meridian-%u", static_cast<int>(length), scratch, getuid());
  if (written < 0 || static_cast<std::size_t>(written) >= room) return false;
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 0022) == 0 && access(path, W_OK) == 0;
}

bool has_room(const char* path) noexcept {
  struct statvfs fs {};
  return statvfs(path, &fs) == 0 && static_cast<std::uint64_t>(fs.f_bavail) * fs.f_frsize >= kScratchBytes;
}

bool choose_scratch(char* path, std::size_t room) noexcept {
  const std::string_view wanted = g_session.options.path(OptionId::scratch);
  if (!wanted.empty()) {
    if (make_private_dir(wanted.data(), wanted.size(), path, room)) return true;
    say("cannot use MERIDIAN_SCRATCH '%.*s' (%s); trying the default", static_cast<int>(wanted.size()), wanted.data(),
        strerror(errno));
  }
  for (const char* dir : {"/dev/shm", static_cast<const char*>(getenv("TMPDIR")), "/tmp"})
    if (dir != nullptr && make_private_dir(dir, strlen(dir), path, room) && has_room(path)) return true;
  return false;
}

/// Field 22 of /proc/self/stat: the start of this process in clock ticks since boot.
std::uint64_t process_start() noexcept {
  char text[1024];
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* field = strrchr(text, ')');  // the command may hold blanks and parentheses
  for (int i = 2; field != nullptr && i < 22; ++i) field = strchr(field + 1, ' ');
  return field != nullptr ? strtoull(field, nullptr, 10) : 0;
}

void read_executable(char* path, std::size_t room) noexcept {
  const ssize_t length = readlink("/proc/self/exe", path, room - 1);
  path[length > 0 ? length : 0] = '\0';
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept { return (value + unit - 1) / unit * unit; }

}  // namespace

bool create_ring() noexcept {
  char dir[kPathBytes - 512];
  if (!choose_scratch(dir, sizeof dir)) {
    say("no scratch directory can be written (tried MERIDIAN_SCRATCH, /dev/shm, $TMPDIR, /tmp)");
    return false;
  }
  char host[kNameBytes] = {};
  gethostname(host, sizeof host - 1);
  const std::uint64_t start = process_start();
  snprintf(g_session.ring_path, sizeof g_session.ring_path, "%s/%.200s-%d-%llu.ring", dir, host, getpid(),
           static_cast<unsigned long long>(start));
  unlink(g_session.ring_path);  // of a process image before exec, which has no more to say
  const int fd = open(g_session.ring_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    say("cannot create the ring file '%s': %s", g_session.ring_path, strerror(errno));
    return false;
  }
  const auto slots = static_cast<std::uint32_t>(g_session.options.number(OptionId::max_threads));
  constexpr std::uint64_t kMaxBlock = 256u << 10;
  std::uint64_t block = static_cast<std::uint64_t>(g_session.options.number(OptionId::buffer)) / 8;
  block = block > kMaxBlock ? kMaxBlock : block < 65536 ? 65536 : block / kRingPageBytes * kRingPageBytes;
  const std::uint64_t ring_bytes =
      round_up(static_cast<std::uint64_t>(g_session.options.number(OptionId::buffer)), block);
  const std::uint64_t data_offset = round_up(kRingPageBytes + slots * sizeof(RingSlot), kRingPageBytes);
  void* head = MAP_FAILED;
  const std::uint64_t cards_offset = round_up(data_offset + slots * ring_bytes, kRingPageBytes);
  constexpr std::uint64_t kCardBytes = (kCards + kLibraryCards) * sizeof(ThreadCard);
  void* cards = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(cards_offset + kCardBytes)) == 0 &&
      posix_fallocate(fd, 0, static_cast<off_t>(data_offset)) == 0)
    head = mmap(nullptr, data_offset, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (head != MAP_FAILED && posix_fallocate(fd, static_cast<off_t>(cards_offset), kCardBytes) == 0)
    cards = mmap(nullptr, kCardBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(cards_offset));
  const int error = errno;
  close(fd);
  void* const table = mmap(nullptr, slots * sizeof(void*), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (head == MAP_FAILED || table == MAP_FAILED) {
    say("cannot set up the ring file '%s': %s", g_session.ring_path, strerror(error));
    unlink(g_session.ring_path);
    return false;
  }
  madvise(head, data_offset, MADV_DONTFORK);
  auto* const ring = new (head) RingFileHeader;
  ring->slot_count = slots;
  ring->ring_bytes = ring_bytes;
  ring->block_bytes = block;
  ring->data_offset = data_offset;
  ring->domain = clock_domain();
  ring->pid = getpid();
  ring->clock = g_clock;
  ring->process_start = start;
  memcpy(ring->hostname, host, sizeof host);
  read_executable(ring->executable, sizeof ring->executable);
  if (cards != MAP_FAILED) {  // stay mapped in forked children: one made without fork() may still count
    ring->card_count = kCards;
    ring->cards_offset = cards_offset;
    g_session.cards = static_cast<ThreadCard*>(cards);
  }
  ring->version = kRingVersion;
  std::atomic_thread_fence(std::memory_order_release);
  ring->magic = kRingMagic;
  g_session.ring = ring;
  g_session.slots = reinterpret_cast<RingSlot*>(static_cast<char*>(head) + kRingPageBytes);
  for (std::uint32_t i = 0; i < slots; ++i) new (&g_session.slots[i]) RingSlot;
  g_session.slot_data = static_cast<std::uint64_t**>(table);
  return true;
}

}  // namespace meridian
