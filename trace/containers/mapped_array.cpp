// SPDX-License-Identifier: Apache-2.0
#include "trace/containers/mapped_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "trace/containers/temp_file.hpp"

namespace meridian {

Result<MappedFile> MappedFile::create(const std::filesystem::path& directory, std::uint64_t bytes) {
  MappedFile file;
  if (bytes == 0) return file;
  const auto refuse = [&](int code) {
    return Error{Errc::io,
                 "cannot make a temporary file of " + std::to_string(bytes) + " bytes in '" + directory.string() +
                     "': " + std::strerror(code),
                 "make room there, or write the merged file elsewhere"};
  };
  const int fd = open_nameless(directory);
  if (fd < 0) return refuse(errno);
  int refused = EINTR;
  while (refused == EINTR) refused = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  void* const at = refused != 0 ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int code = refused != 0 ? refused : errno;
  (void)::close(fd);  // the mapping keeps the file
  if (at == MAP_FAILED) return refuse(code);
  file.data_ = static_cast<std::byte*>(at);
  file.bytes_ = bytes;
  return file;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) (void)::munmap(data_, bytes_);
}

void MappedFile::release_pages() const noexcept {
  if (data_ != nullptr) (void)::madvise(data_, bytes_, MADV_DONTNEED);
}

}  // namespace meridian
