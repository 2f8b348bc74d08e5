// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/spool.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "trace/ring/spool_checksum.hpp"

namespace meridian {
namespace {

Error spool_error(std::string_view verb, const std::filesystem::path& path, int error) {
  return Error{error == ENOENT ? Errc::not_found : Errc::io,
               "cannot " + std::string{verb} + " spool '" + path.string() + "': " + std::strerror(error), ""};
}

// 0, or errno.
int write_all(int file, iovec* pieces, int count) {
  while (count > 0) {
    const ssize_t written = ::writev(file, pieces, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    auto left = static_cast<std::size_t>(written);
    while (count > 0 && left >= pieces->iov_len) {
      left -= pieces->iov_len;
      ++pieces;
      --count;
    }
    if (count > 0) {
      pieces->iov_base = static_cast<char*>(pieces->iov_base) + left;
      pieces->iov_len -= left;
    }
  }
  return 0;
}

}  // namespace

Result<SpoolWriter> SpoolWriter::create(const std::filesystem::path& path) {
  SpoolWriter spool;
  spool.path_ = path;
  spool.file_ = Descriptor{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!spool.file_) return spool_error("create", path, errno);
  return spool;
}

Status SpoolWriter::append(std::uint32_t slot, std::uint64_t position, std::span<const std::uint64_t> words) {
  SpoolSegment header{.magic = kSpoolMagic, .slot = slot, .position = position, .bytes = words.size_bytes()};
  header.checksum = spool_checksum(header, words.data());
  iovec pieces[2] = {{&header, sizeof header}, {const_cast<std::uint64_t*>(words.data()), words.size_bytes()}};
  if (const int error = write_all(file_.get(), pieces, 2); error != 0) {
    // A torn segment would hide all segments after it.
    const bool is_cut = ::ftruncate(file_.get(), static_cast<off_t>(end_)) == 0 &&
                        ::lseek(file_.get(), static_cast<off_t>(end_), SEEK_SET) >= 0;
    return spool_error(is_cut ? "write" : "write or cut", path_, error);
  }
  end_ += sizeof header + words.size_bytes();
  return {};
}

Result<SpoolReader> SpoolReader::open(const std::filesystem::path& path, const RingFile::Geometry& geometry) {
  SpoolReader spool;
  spool.path_ = path;
  spool.geometry_ = geometry;
  spool.file_ = Descriptor{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!spool.file_) return spool_error("open", path, errno);
  struct stat status {};
  if (::fstat(spool.file_.get(), &status) != 0) return spool_error("open", path, errno);
  if (!S_ISREG(status.st_mode)) return spool_error("open", path, EINVAL);
  spool.left_ = static_cast<std::uint64_t>(status.st_size);
  return spool;
}

bool SpoolReader::read(void* out, std::uint64_t bytes) {
  if (bytes > left_) {
    is_torn_ = left_ > 0;
    return false;
  }
  left_ -= bytes;
  auto* at = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::read(file_.get(), at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status_ = spool_error("read", path_, errno);
    if (got <= 0) {
      is_torn_ = true;
      return false;
    }
    at += got;
    bytes -= static_cast<std::uint64_t>(got);
  }
  return true;
}

bool SpoolReader::next(Segment& segment) {
  SpoolSegment header;
  if (is_torn_ || !read(&header, sizeof header)) return false;
  is_torn_ = true;  // until the segment is known to be complete
  if (header.magic != kSpoolMagic || header.slot >= geometry_.slot_count || header.bytes == 0 ||
      header.bytes > geometry_.ring_bytes || header.bytes % kWordBytes != 0 || header.position % kWordBytes != 0)
    return false;
  const std::size_t count = header.bytes / kWordBytes;
  if (header.bytes > left_) return false;
  if (buffer_.size() < count) buffer_.resize(count);
  if (!read(buffer_.data(), header.bytes) || spool_checksum(header, buffer_.data()) != header.checksum) return false;
  is_torn_ = false;
  segment = {header.slot, header.position, {buffer_.data(), count}};
  return true;
}

}  // namespace meridian
