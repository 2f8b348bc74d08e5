// SPDX-License-Identifier: Apache-2.0
#include "pmpi/files/file_numbers.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {

std::atomic<FileNumber> g_file_of[kMostDescriptors];

namespace {

constexpr std::uint32_t kSlots = 8192;  // a power of two
static_assert(kMostFiles < kSlots && kSlots < kMoreFiles);

std::atomic<std::uint64_t> g_hashes[kSlots];  // [number - 1]: of the path; 0: free
std::atomic<std::uint32_t> g_used{0};
std::atomic<bool> g_has_more{false};
constexpr char kMoreName[] = "(further files)";

/// FNV-1a (Fowler, Noll, Vo; IETF draft-eastlake-fnv): 6000 paths have the same hash once in 10^12 runs.
std::uint64_t hash_of(const char* path, std::size_t length) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < length; ++i) hash = (hash ^ static_cast<unsigned char>(path[i])) * 0x100000001b3;
  return hash != 0 ? hash : 1;
}

bool is_file(int descriptor) noexcept {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/// The path of a file, as the system has it now; 0: it is one of the system. Without snprintf, which takes 1.5 KB of the stack.
std::size_t path_of(int descriptor, char (&path)[PATH_MAX]) noexcept {
  char link[] = "/proc/self/fd/\0\0\0\0\0";
  static_assert(kMostDescriptors <= 100000, "5 digits");
  char* digit = link + sizeof "/proc/self/fd/" - 1;
  for (int unit = 10000; unit > 0; unit /= 10)
    if (descriptor >= unit || unit == 1) *digit++ = static_cast<char>('0' + descriptor / unit % 10);
  const ssize_t length = ::readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = '\0';
  return is_of_system(path) ? 0 : static_cast<std::size_t>(length);
}

/// Paths are read into these, not onto the stack: a handler of the program may have 4 KB besides what the kernel stores there.
char g_paths[64][PATH_MAX];
std::atomic<std::uint64_t> g_taken_paths{0};  ///< bit i: g_paths[i]; taken for ever where a handler jumps away

/// Calls `use` with room for a path.
template <class Use>
[[gnu::always_inline]] inline void with_path_buffer(Use use) noexcept {
  std::uint64_t taken = g_taken_paths.load(std::memory_order_relaxed);
  while (~taken != 0) {
    const std::uint64_t bit = ~taken & (taken + 1);  // the lowest that is free
    if (!g_taken_paths.compare_exchange_weak(taken, taken | bit, std::memory_order_acquire)) continue;
    use(g_paths[__builtin_ctzll(bit)]);
    g_taken_paths.fetch_and(~bit, std::memory_order_release);
    return;
  }
  [use]() __attribute__((noinline)) {
    char path[PATH_MAX];
    use(path);
  }
  ();
}

FileNumber one_of_more(bool& is_new) noexcept {
  is_new = !g_has_more.exchange(true, std::memory_order_relaxed);
  return kMoreFiles;
}

FileNumber number_of(const char* path, std::size_t length, bool& is_new) noexcept {
  const std::uint64_t hash = hash_of(path, length);
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    const auto slot = static_cast<std::uint32_t>((hash + i) % kSlots);
    std::uint64_t known = g_hashes[slot].load(std::memory_order_relaxed);
    if (known == 0) {
      if (g_used.load(std::memory_order_relaxed) >= kMostFiles) return one_of_more(is_new);
      if (g_hashes[slot].compare_exchange_strong(known, hash)) {
        g_used.fetch_add(1, std::memory_order_relaxed);
        is_new = true;
        return static_cast<FileNumber>(slot + 1);
      }
    }
    if (known == hash) return static_cast<FileNumber>(slot + 1);
  }
  return one_of_more(is_new);
}

FileNumber number_of_file(int descriptor, bool& is_new) noexcept {
  FileNumber number = kNoFile;
  with_path_buffer([&](char(&path)[PATH_MAX]) {
    if (const std::size_t length = path_of(descriptor, path); length != 0) number = number_of(path, length, is_new);
  });
  return number;
}

bool may_look() noexcept {
  return *g_is_same_process != 0 && g_session.state.load(std::memory_order_acquire) == SessionState::on;
}

}  // namespace

FileNumber find_opened_file(int descriptor, bool& is_new) noexcept {
  is_new = false;
  if (static_cast<unsigned>(descriptor) >= kMostDescriptors || !may_look()) return kNoFile;
  const int before = errno;
  const FileNumber number = is_file(descriptor) ? number_of_file(descriptor, is_new) : kNoFile;
  if (number != kNoFile || ::fcntl(descriptor, F_GETFD) >= 0)
    g_file_of[descriptor].store(number, std::memory_order_relaxed);
  errno = before;
  return number;
}

void name_file(int descriptor, FileNumber number) noexcept {
  if (number == kMoreFiles) {
    emit_text(kProgramFileKey, kMoreName, sizeof kMoreName - 1, number);
    return;
  }
  const int before = errno;
  with_path_buffer([&](char(&path)[PATH_MAX]) {
    if (const std::size_t length = path_of(descriptor, path); length != 0)
      emit_text(kProgramFileKey, path, length, number);
  });
  errno = before;
}

FileNumber find_file(int descriptor) noexcept {
  bool is_new = false;
  const FileNumber number = find_opened_file(descriptor, is_new);
  if (is_new) name_file(descriptor, number);
  return number;
}

}  // namespace meridian
