// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/spool.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trace/ring/spool_checksum.hpp"

namespace meridian {
namespace {

constexpr std::size_t kCopiedBytes = std::size_t{1} << 20;  // at once
constexpr int kMostTries = 2000;                            // a millisecond each

Error spool_error(std::string_view verb, const std::filesystem::path& path, int error) {
  return Error{error == ENOENT ? Errc::not_found : Errc::io,
               "cannot " + std::string{verb} + " spool '" + path.string() + "': " + std::strerror(error), ""};
}

// 0, or errno.
int write_all(int file, std::uint64_t position, iovec* pieces, int count) {
  while (count > 0) {
    const ssize_t written = ::pwritev(file, pieces, count, static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    auto left = static_cast<std::size_t>(written);
    position += left;
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
  SpoolSegment end;
  iovec pieces[3] = {
      {&header, sizeof header}, {const_cast<std::uint64_t*>(words.data()), words.size_bytes()}, {&end, sizeof end}};
  if (const int error = write_all(file_.get(), end_, pieces, has_old_bytes_ ? 3 : 2); error != 0) {
    // A torn segment would hide all segments after it.
    const bool is_cut = ::ftruncate(file_.get(), static_cast<off_t>(end_)) == 0;
    if (is_cut) has_old_bytes_ = false;
    return spool_error(is_cut ? "write" : "write or cut", path_, error);
  }
  end_ += sizeof header + words.size_bytes();
  return {};
}

// Readers hold a shared lock. Where files cannot be locked, the file is replaced, too.
Status SpoolWriter::restart() {
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {
    SpoolSegment end;
    iovec piece{&end, sizeof end};
    const int error = write_all(file_.get(), 0, &piece, 1);
    ::flock(file_.get(), LOCK_UN);
    if (error != 0) return spool_error("restart", path_, error);
    has_old_bytes_ = true;
    end_ = 0;
    return {};
  }
  MERIDIAN_TRY(Descriptor next, create_next());
  return put_in_place(std::move(next), 0);
}

Status SpoolWriter::drop_before(std::uint64_t position) {
  const Descriptor old{::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (!old) return spool_error("read", path_, errno);
  MERIDIAN_TRY(Descriptor next, create_next());
  std::vector<std::uint8_t> piece(kCopiedBytes);
  for (std::uint64_t at = position; at < end_;) {
    const ssize_t got =
        ::pread(old.get(), piece.data(), std::min<std::uint64_t>(piece.size(), end_ - at), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    iovec part{piece.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
    const int read_error = got < 0 ? errno : EIO;  // EIO: it is shorter than it was
    if (const int error = got <= 0 ? read_error : write_all(next.get(), at - position, &part, 1); error != 0) {
      ::unlink(next_spool(path_).c_str());
      return spool_error("copy", path_, error);
    }
    at += static_cast<std::uint64_t>(got);
  }
  return put_in_place(std::move(next), end_ - position);
}

Result<Descriptor> SpoolWriter::create_next() const {
  const std::filesystem::path next = next_spool(path_);
  ::unlink(next.c_str());  // left by an error
  Descriptor file{::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!file) return spool_error("replace", path_, errno);
  return file;
}

Status SpoolWriter::put_in_place(Descriptor next, std::uint64_t bytes) {
  if (::rename(next_spool(path_).c_str(), path_.c_str()) != 0) return spool_error("replace", path_, errno);
  file_ = std::move(next);
  has_old_bytes_ = false;
  end_ = bytes;
  return {};
}

std::filesystem::path next_spool(std::filesystem::path spool) { return spool += ".next"; }

Result<SpoolReader> SpoolReader::open(const std::filesystem::path& path, const RingFile::Geometry& geometry,
                                      std::uint64_t position) {
  SpoolReader spool;
  spool.path_ = path;
  spool.geometry_ = geometry;
  spool.file_ = Descriptor{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!spool.file_) return spool_error("open", path, errno);
  struct stat status {};
  if (::fstat(spool.file_.get(), &status) != 0) return spool_error("open", path, errno);
  if (!S_ISREG(status.st_mode)) return spool_error("open", path, EINVAL);
  constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 1'000'000};
  // A writer that restarts the spool has it for a moment. Other errors: there are no locks, so nobody writes over it.
  for (int tries = 0; ::flock(spool.file_.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++tries) {
    if (tries == kMostTries) return spool_error("lock", path, EWOULDBLOCK);
    ::nanosleep(&kNap, nullptr);
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  spool.position_ = std::min(position, size);
  spool.left_ = size - spool.position_;
  return spool;
}

bool SpoolReader::read(void* out, std::uint64_t bytes) {
  if (bytes > left_) {
    is_torn_ = left_ > 0;
    return false;
  }
  left_ -= bytes;
  std::uint64_t from = position_;
  position_ += bytes;
  auto* at = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::pread(file_.get(), at, bytes, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status_ = spool_error("read", path_, errno);
    if (got <= 0) {
      is_torn_ = true;
      return false;
    }
    at += got;
    from += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::uint64_t>(got);
  }
  return true;
}

bool SpoolReader::next(Segment& segment) {
  SpoolSegment header;
  if (is_torn_ || !read(&header, sizeof header)) return false;
  if (header.magic == 0 && header.bytes == 0) {  // the end of a spool that was restarted
    left_ = 0;
    return false;
  }
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
