// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace meridian {

/// The memory of a running process, which goes on meanwhile: process_vm_readv(2), or /proc/PID/mem where the kernel or the list of
/// system calls of a container has no such call. Not thread-safe.
class ProcessMemory {
 public:
  explicit ProcessMemory(std::int32_t pid) noexcept : pid_{pid} {}
  ~ProcessMemory();
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  /// Copies to.size() bytes. False: it has no such memory, has ended, or may not be read.
  bool copy(std::uint64_t from, std::span<unsigned char> to);
  /// errno with which the kernel refused both ways; 0: it did not.
  int refusal() const noexcept { return refusal_; }

 private:
  bool copy_from_file(std::uint64_t from, std::span<unsigned char> to);

  std::int32_t pid_;
  bool is_file_ = false;
  int file_ = -1;  // /proc/PID/mem, once it is needed
  int refusal_ = 0;
};

}  // namespace meridian
