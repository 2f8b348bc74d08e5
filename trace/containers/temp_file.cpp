// SPDX-License-Identifier: Apache-2.0
#include "trace/containers/temp_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace meridian {
namespace {

Error io_error(const std::string& action, const std::filesystem::path& directory, int code) {
  return Error{Errc::io,
               "cannot " + action + " a temporary file in '" + directory.string() + "': " + std::strerror(code),
               "make room there, or write the merged file elsewhere"};
}

}  // namespace

// For file systems without unnamed files: creates a file and removes its name at once.
int open_nameless(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string name = (directory / ".meridian-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) (void)::unlink(name.c_str());
  return named;
}

Result<std::shared_ptr<TempFile>> TempFile::create(const std::filesystem::path& directory) {
  const auto place = directory.empty() ? std::filesystem::path{"."} : directory;
  const int fd = open_nameless(place);
  if (fd < 0) return io_error("make", place, errno);
  return std::shared_ptr<TempFile>{new TempFile{fd, place}};
}

TempFile::~TempFile() { (void)::close(fd_); }

std::uint64_t TempFile::take_block() {
  if (free_.empty()) return blocks_++;
  const std::uint64_t block = free_.back();
  free_.pop_back();
  return block;
}

Status TempFile::write(std::uint64_t block, std::span<const std::byte> bytes, std::size_t offset) {
  MERIDIAN_CHECK(offset + bytes.size() <= kBlockBytes);
  auto position = static_cast<off_t>(block * kBlockBytes + offset);
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd_, bytes.data(), bytes.size(), position);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return io_error("write", directory_, done < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    position += done;
  }
  return {};
}

Status TempFile::read(std::uint64_t block, std::size_t offset, std::span<std::byte> bytes) {
  MERIDIAN_CHECK(offset + bytes.size() <= kBlockBytes);
  auto position = static_cast<off_t>(block * kBlockBytes + offset);
  while (!bytes.empty()) {
    const ssize_t done = ::pread(fd_, bytes.data(), bytes.size(), position);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return io_error("read", directory_, done < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    position += done;
  }
  return {};
}

}  // namespace meridian
