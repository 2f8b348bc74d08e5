// SPDX-License-Identifier: Apache-2.0
#include "cli/support/output_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "trace/format/tables/temporary_files.hpp"

namespace meridian {
namespace {

/// Whether the path still names the open file: the process that had the lock before removes it.
bool is_named(const std::filesystem::path& path, int file) {
  struct stat named {};
  struct stat opened {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(file, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

}  // namespace

std::optional<OutputLock> OutputLock::take(const std::filesystem::path& output) {
  const std::filesystem::path path = std::filesystem::path{output} += ".lock";
  for (;;) {
    Descriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
    if (!file) return OutputLock{{}, Descriptor{}};  // writing the output will fail too, and say why
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
    } else if (!is_named(path, file.get())) {
      continue;
    }
    note_temporary_file(path);
    return OutputLock{path, std::move(file)};
  }
}

OutputLock::~OutputLock() {
  if (!file_) return;
  ::unlink(path_.c_str());
  forget_temporary_file(path_);
}

}  // namespace meridian
