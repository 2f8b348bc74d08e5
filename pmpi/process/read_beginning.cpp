// SPDX-License-Identifier: Apache-2.0
#include "pmpi/process/read_beginning.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace meridian {

std::size_t read_beginning(const char* path, char* text, std::size_t room) noexcept {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t length = read(fd, text, room - 1);
  close(fd);
  text[length > 0 ? length : 0] = '\0';
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

}  // namespace meridian
