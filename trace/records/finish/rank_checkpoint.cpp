// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/rank_checkpoint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "trace/format/chunks/chunk_log.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kMagic = 0x455441545352454dULL;  // "MERSTATE" in memory order
constexpr std::uint32_t kVersion = 6;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 34;

struct Header {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::int32_t pid = 0;
  std::uint64_t process_start = 0;
  std::uint64_t ring_bytes = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t number = 0;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t state_bytes = 0;
  std::uint64_t checksum = 0;  // of the fields before, and of the state
};

std::uint64_t checksum_of_all(const Header& header, std::span<const std::uint8_t> state) {
  const auto* const fields = reinterpret_cast<const std::uint8_t*>(&header);
  return checksum_of(state, checksum_of({fields, offsetof(Header, checksum)}));
}

Error checkpoint_error(Errc code, std::string_view verb, const std::string& name, std::string_view reason) {
  return Error{code, "cannot " + std::string{verb} + " checkpoint '" + name + "': " + std::string{reason}, ""};
}

// False: errno.
bool write_all(int file, const void* bytes, std::size_t count) {
  for (auto at = static_cast<const char*>(bytes); count > 0;) {
    const ssize_t written = ::write(file, at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

Result<RankCheckpoint> parse_checkpoint(std::span<const std::uint8_t> bytes, const RingFile& ring,
                                        const std::string& name) {
  Header header;
  if (bytes.size() < sizeof header) return checkpoint_error(Errc::damaged, "read", name, "it is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return checkpoint_error(Errc::damaged, "read", name, "it is not a checkpoint");
  if (header.version != kVersion)
    return Error{Errc::unsupported, "checkpoint '" + name + "' is of version " + std::to_string(header.version),
                 "merge with the version of Meridian that recorded it"};
  const auto state = bytes.subspan(sizeof header);
  if (header.state_bytes != state.size() || checksum_of_all(header, state) != header.checksum)
    return checkpoint_error(Errc::damaged, "read", name, "it is cut or its checksum is wrong");
  if (header.pid != ring.header().pid || header.process_start != ring.header().process_start ||
      header.ring_bytes != ring.geometry().ring_bytes || header.block_bytes != ring.geometry().block_bytes)
    return Error{Errc::invalid_argument, "checkpoint '" + name + "' is of another process than its ring", ""};
  return RankCheckpoint{header.number, header.chunk_bytes, {state.begin(), state.end()}};
}

Result<std::optional<RankCheckpoint>> read_checkpoint(const std::filesystem::path& path, const RingFile& ring) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::optional<RankCheckpoint>{};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0)
    return checkpoint_error(Errc::io, "open", path.string(), std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return checkpoint_error(Errc::io, "open", path.string(), "it is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) > kMaxBytes)
    return checkpoint_error(Errc::damaged, "read", path.string(), "it is too large");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(status.st_size));
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::read(file.get(), bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return checkpoint_error(Errc::io, "read", path.string(), std::strerror(errno));
    at += static_cast<std::size_t>(got);
  }
  MERIDIAN_TRY(RankCheckpoint checkpoint, parse_checkpoint(bytes, ring, path.string()));
  return std::optional{std::move(checkpoint)};
}

Status write_checkpoint(const std::filesystem::path& path, const RingFile& ring, const RankCheckpoint& checkpoint) {
  Header header{.pid = ring.header().pid,
                .process_start = ring.header().process_start,
                .ring_bytes = ring.geometry().ring_bytes,
                .block_bytes = ring.geometry().block_bytes,
                .number = checkpoint.number,
                .chunk_bytes = checkpoint.chunk_bytes,
                .state_bytes = checkpoint.state.size()};
  header.checksum = checksum_of_all(header, checkpoint.state);
  auto part = path;
  part += ".part";
  ::unlink(part.c_str());
  const Descriptor file{::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  const bool is_stored = file && write_all(file.get(), &header, sizeof header) &&
                         write_all(file.get(), checkpoint.state.data(), checkpoint.state.size()) &&
                         ::rename(part.c_str(), path.c_str()) == 0;
  if (is_stored) return {};
  Error error = checkpoint_error(Errc::io, "write", path.string(), std::strerror(errno));
  ::unlink(part.c_str());
  return error;
}

}  // namespace meridian
