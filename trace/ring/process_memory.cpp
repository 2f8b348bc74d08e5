// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/process_memory.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace meridian {
namespace {

bool is_refusal(int problem) { return problem == EPERM || problem == EACCES || problem == ENOSYS; }

}  // namespace

ProcessMemory::~ProcessMemory() {
  if (file_ >= 0) ::close(file_);
}

bool ProcessMemory::copy(std::uint64_t from, std::span<unsigned char> to) {
  if (from == 0) return false;
  if (!is_file_) {
    const iovec local{to.data(), to.size()};
    const iovec remote{reinterpret_cast<void*>(from), to.size()};  // an address of the other process
    const ssize_t copied = ::process_vm_readv(pid_, &local, 1, &remote, 1, 0);
    is_file_ = copied < 0 && is_refusal(errno);
    if (!is_file_) return copied == static_cast<ssize_t>(to.size());
  }
  return copy_from_file(from, to);
}

bool ProcessMemory::copy_from_file(std::uint64_t from, std::span<unsigned char> to) {
  if (file_ < 0) file_ = ::open(("/proc/" + std::to_string(pid_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  const iovec local{to.data(), to.size()};
  const ssize_t copied = file_ < 0 ? -1 : ::preadv(file_, &local, 1, static_cast<off_t>(from));
  if (copied < 0 && is_refusal(errno)) refusal_ = errno;
  return copied == static_cast<ssize_t>(to.size());
}

}  // namespace meridian
