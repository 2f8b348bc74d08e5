// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/chunk_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace meridian {
namespace {

struct ChunkHeader {
  std::uint32_t magic = 0;
  std::uint32_t column = 0;
  std::uint32_t width = 0;
  std::uint32_t bytes = 0;  // of the stream that follows
  std::uint64_t value = 0;
  std::uint64_t checksum = 0;  // of the fields before, and of the stream
};
constexpr std::uint32_t kChunkMagic = 0x4e554843;       // "CHUN"
constexpr std::uint32_t kMaxStream = 4u * 65536u * 8u;  // larger than any chunk that does not compress
constexpr std::size_t kCheckedHeader = offsetof(ChunkHeader, checksum);

std::uint64_t checksum_of_chunk(const ChunkHeader& header, std::span<const std::uint8_t> stream) noexcept {
  const auto* const fields = reinterpret_cast<const std::uint8_t*>(&header);
  return checksum_of(stream, checksum_of({fields, kCheckedHeader}));
}

Error log_error(Errc code, std::string_view verb, const std::filesystem::path& path, std::string_view reason) {
  return Error{code, "cannot " + std::string{verb} + " '" + path.string() + "': " + std::string{reason}, ""};
}

}  // namespace

int close_log(int file) noexcept { return ::close(file); }

std::uint64_t checksum_of(std::span<const std::uint8_t> bytes, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kOdd = 0x9fb21c651e98df25ULL;
  std::uint64_t lanes[4] = {seed ^ kOdd, kOdd + bytes.size(), ~kOdd, 1};
  const auto mix = [](std::uint64_t& lane, std::uint64_t word) { lane = std::rotl((lane ^ word) * kOdd, 29); };
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (std::size_t lane = 0; lane < 4; ++lane) mix(lanes[lane], words[lane]);
  }
  for (; at < bytes.size(); ++at) mix(lanes[0], bytes[at]);
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) mix(sum, lane);
  return sum;
}

Result<ChunkLogWriter> ChunkLogWriter::create(const std::filesystem::path& path) {
  return open(path, 0, O_CREAT | O_EXCL);
}

Result<ChunkLogWriter> ChunkLogWriter::open(const std::filesystem::path& path, std::uint64_t bytes) {
  return open(path, bytes, 0);
}

Result<ChunkLogWriter> ChunkLogWriter::open(const std::filesystem::path& path, std::uint64_t bytes, int how) {
  ChunkLogWriter log;
  log.path_ = path;
  log.bytes_ = bytes;
  log.file_ = LogFile{::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | how, 0600)};
  struct stat status {};
  if (!log.file_ || ::fstat(log.file_.get(), &status) != 0)
    return log_error(Errc::io, "open", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) < bytes)
    return log_error(Errc::damaged, "continue", path, "it is shorter than its checkpoint says");
  if (::ftruncate(log.file_.get(), static_cast<off_t>(bytes)) != 0 ||
      ::lseek(log.file_.get(), static_cast<off_t>(bytes), SEEK_SET) < 0)
    return log_error(Errc::io, "write", path, std::strerror(errno));
  return log;
}

Status ChunkLogWriter::append(const LoggedChunk& chunk) {
  ChunkHeader header{.magic = kChunkMagic,
                     .column = chunk.column,
                     .width = chunk.width,
                     .bytes = static_cast<std::uint32_t>(chunk.stream.size()),
                     .value = chunk.value};
  header.checksum = checksum_of_chunk(header, chunk.stream);
  iovec pieces[2] = {{&header, sizeof header}, {const_cast<std::uint8_t*>(chunk.stream.data()), chunk.stream.size()}};
  for (iovec* piece = pieces; piece != pieces + 2;) {
    if (piece->iov_len == 0) {
      ++piece;
      continue;
    }
    const ssize_t written = ::writev(file_.get(), piece, static_cast<int>(pieces + 2 - piece));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return log_error(Errc::io, "write", path_, std::strerror(errno));
    auto left = static_cast<std::size_t>(written);
    while (piece != pieces + 2 && left >= piece->iov_len) {
      left -= piece->iov_len;
      ++piece;
    }
    if (piece != pieces + 2) {
      piece->iov_base = static_cast<char*>(piece->iov_base) + left;
      piece->iov_len -= left;
    }
  }
  bytes_ += sizeof header + chunk.stream.size();
  return {};
}

Result<ChunkLogReader> ChunkLogReader::open(const std::filesystem::path& path, std::uint64_t bytes) {
  ChunkLogReader log;
  log.path_ = path;
  log.left_ = bytes;
  log.file_ = LogFile{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (!log.file_ || ::fstat(log.file_.get(), &status) != 0)
    return log_error(errno == ENOENT ? Errc::not_found : Errc::io, "open", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return log_error(Errc::io, "open", path, "it is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) < bytes) return log.damaged("it is shorter than its checkpoint says");
  ::posix_fadvise(log.file_.get(), 0, static_cast<off_t>(bytes), POSIX_FADV_SEQUENTIAL);
  return log;
}

Error ChunkLogReader::damaged(const char* reason) const {
  Error error = log_error(Errc::damaged, "read", path_, reason);
  if (at_ != 0) error.what += " at byte " + std::to_string(at_);
  return error;
}

Status ChunkLogReader::read(void* out, std::size_t count) {
  if (count > left_) return damaged("a chunk is cut");
  left_ -= count;
  auto* to = static_cast<char*>(out);
  while (count > 0) {
    const ssize_t got = ::read(file_.get(), to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return log_error(Errc::io, "read", path_, std::strerror(errno));
    if (got == 0) return damaged("it has become shorter");
    to += got;
    at_ += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

Result<bool> ChunkLogReader::next(LoggedChunk& chunk) {
  if (left_ == 0) return false;
  ChunkHeader header;
  MERIDIAN_TRY_DO(read(&header, sizeof header));
  if (header.magic != kChunkMagic || header.width > 8 || header.bytes > kMaxStream ||
      (header.width == 0) != (header.bytes == 0))
    return damaged("the data are not a chunk");
  stream_.resize(header.bytes);
  MERIDIAN_TRY_DO(read(stream_.data(), stream_.size()));
  if (checksum_of_chunk(header, stream_) != header.checksum) return damaged("a chunk's checksum is wrong");
  chunk = {header.column, header.width, header.value, stream_};
  return true;
}

}  // namespace meridian
