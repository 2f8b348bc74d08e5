// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which file is open under a descriptor: a number for each path, found when the descriptor is first used.

#include <atomic>
#include <cstdint>

namespace meridian {

using FileNumber = std::uint16_t;
inline constexpr FileNumber kFileUnknown = 0;  ///< nobody has looked yet
inline constexpr FileNumber kNoFile = 0xffff;  ///< a pipe, socket, terminal; a file of the system (/proc, /sys, /dev)
inline constexpr FileNumber kMoreFiles = 0xfffe;        ///< of all files beyond the first kMostFiles
inline constexpr std::uint32_t kMostFiles = 6000;       ///< with a number of their own
inline constexpr unsigned kMostDescriptors = 1U << 16;  ///< calls with larger ones are not recorded

extern std::atomic<FileNumber> g_file_of[kMostDescriptors];

/// Looks up the file, and records its path if it is new. errno is kept.
[[gnu::cold, gnu::noinline]] FileNumber find_file(int descriptor) noexcept;
/// The same inside a call that is being recorded: `is_new` if name_file() has to be called after it.
[[gnu::cold, gnu::noinline]] FileNumber find_opened_file(int descriptor, bool& is_new) noexcept;
[[gnu::cold, gnu::noinline]] void name_file(int descriptor, FileNumber number) noexcept;

[[gnu::always_inline]] inline FileNumber file_of(int descriptor) noexcept {
  if (static_cast<unsigned>(descriptor) >= kMostDescriptors) return kNoFile;
  const FileNumber known = g_file_of[descriptor].load(std::memory_order_relaxed);
  return known != kFileUnknown ? known : find_file(descriptor);
}

/// Whether the path is that of a device, or of what the kernel shows as files.
[[gnu::always_inline]] inline bool is_of_system(const char* path) noexcept {
  if (path == nullptr || path[0] != '/') return false;
  const auto is_below = [path](const char* folder, unsigned length) {
    for (unsigned i = 1; i < length; ++i)
      if (path[i] != folder[i]) return false;
    return true;
  };
  return is_below("/proc/", 6) || is_below("/sys/", 5) || is_below("/dev/", 5);
}

/// The descriptor is about to be closed, or to be another file.
[[gnu::always_inline]] inline void forget_file(int descriptor) noexcept {
  if (static_cast<unsigned>(descriptor) >= kMostDescriptors) return;
  std::atomic<FileNumber>& number = g_file_of[descriptor];
  if (number.load(std::memory_order_relaxed) != kFileUnknown) number.store(kFileUnknown, std::memory_order_relaxed);
}

}  // namespace meridian
