// SPDX-License-Identifier: Apache-2.0
// Without a writer (it could not be started, or has died) the rings would fill and the rest of the run would be lost.
// The thread that needs room then moves the full part of its own ring into a file in the spool's format: in the output
// directory if that is known, otherwise beside the ring.

#include "pmpi/rings/spill.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "trace/ring/spool_checksum.hpp"

namespace meridian {
namespace {

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
bool g_has_failed = false;
char g_path[kPathBytes + 64];  // path of the spill file, once it exists

void choose_path() noexcept {
  const RingFileHeader& ring = *g_session.ring;
  const int rank = ring.world_rank.load(std::memory_order_acquire);  // set after output_dir
  if (rank >= 0) {
    snprintf(g_path, sizeof g_path, "%s/rank-%05d.spill", ring.output_dir, rank);
  } else {
    snprintf(g_path, sizeof g_path, "%s.spill", g_session.ring_path);
  }
}

bool write_all(int fd, const void* bytes, std::uint64_t count) noexcept {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = write(fd, at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    count -= static_cast<std::uint64_t>(written);
  }
  return true;
}

/// While an object of this class exists, exceeding `ulimit -f` is an error, not a signal that ends the program.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoFileSizeSignal() {
    const int error = errno;
    constexpr timespec kNow{};
    if (sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&signal_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

/// Appends [tail, head) of the slot, one block at a time; tail follows the bytes that are safely written.
bool append(int fd, RingSlot& slot, const std::uint64_t* ring_words) noexcept {
  const RingFileHeader& ring = *g_session.ring;
  const std::uint64_t head = slot.head.load(std::memory_order_relaxed);
  std::uint64_t tail = slot.tail.load(std::memory_order_acquire);
  while (tail < head) {
    const std::uint64_t block_end = tail - tail % ring.block_bytes + ring.block_bytes;
    const std::uint64_t end = block_end < head ? block_end : head;
    const std::uint64_t* const words = ring_words + tail % ring.ring_bytes / kWordBytes;
    SpoolSegment segment;
    segment.magic = kSpoolMagic;
    segment.slot = static_cast<std::uint32_t>(&slot - g_session.slots);
    segment.position = tail;
    segment.bytes = end - tail;
    segment.checksum = spool_checksum(segment, words);
    if (!write_all(fd, &segment, sizeof segment) || !write_all(fd, words, segment.bytes)) return false;
    slot.tail.store(end, std::memory_order_release);
    tail = end;
  }
  return true;
}

/// In a directory that others may write to, the name of the spill file may belong to another user: a FIFO would block,
/// and a file of theirs could be read by them.
int open_spill() noexcept {
  const int fd = open(g_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat status {};
  if (fd < 0) return fd;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1)
    return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

}  // namespace

bool spill(ThreadState& thread) noexcept {
  g_libc.pthread_mutex_lock(&g_mutex);
  bool spilled = false;
  if (!g_has_failed) {
    if (g_path[0] == '\0') choose_path();
    const NoFileSizeSignal guard;
    const int fd = open_spill();
    spilled = fd >= 0 && append(fd, *thread.slot, thread.ring);
    if (!spilled) {
      g_has_failed = true;
      say("cannot write '%s' (%s); from here on calls are counted, not recorded", g_path, strerror(errno));
    }
    if (fd >= 0) close(fd);
  }
  g_libc.pthread_mutex_unlock(&g_mutex);
  return spilled;
}

}  // namespace meridian
