// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/memory_use.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "trace/ring/ring_file.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kKiB = 1024;

/// A file of a process in /proc as text, as far as it fits.
class ProcText {
 public:
  ProcText(std::int32_t pid, const char* name) noexcept {
    std::snprintf(text_.data(), text_.size(), "/proc/%" PRId32 "/%s", pid, name);
    const Descriptor file{::open(text_.data(), O_RDONLY | O_CLOEXEC)};
    std::size_t length = 0;
    while (file && length + 1 < text_.size()) {
      const ssize_t got = ::read(file.get(), text_.data() + length, text_.size() - 1 - length);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      length += static_cast<std::size_t>(got);
    }
    text_[length] = '\0';
  }
  const char* get() const noexcept { return text_.data(); }

 private:
  std::array<char, 4096> text_{};
};

/// "VmRSS:      1234 kB" in bytes. nullopt: there is no such line, as of a zombie.
std::optional<std::uint64_t> bytes_in(const char* status, const char* line) noexcept {
  const char* const found = std::strstr(status, line);
  std::uint64_t kib = 0;
  if (found == nullptr || std::sscanf(found + std::strlen(line), " %" SCNu64 " kB", &kib) != 1) return std::nullopt;
  return kib * kKiB;
}

}  // namespace

std::optional<MemoryUse> memory_use(std::int32_t pid) noexcept {
  const ProcText status{pid, "status"};
  const auto resident = bytes_in(status.get(), "\nVmRSS:");
  if (!resident) return std::nullopt;
  MemoryUse use;
  use.resident_bytes = *resident;
  use.peak_bytes = std::max(bytes_in(status.get(), "\nVmHWM:").value_or(0), *resident);
  use.swapped_bytes = bytes_in(status.get(), "\nVmSwap:").value_or(0);  // a kernel without swap has no such line
  const ProcText stat{pid, "stat"};
  const char* const name_end = std::strrchr(stat.get(), ')');  // the name may contain anything
  if (name_end == nullptr || std::sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
                                         &use.minor_faults, &use.major_faults) != 2)
    return std::nullopt;
  return use;
}

}  // namespace meridian
