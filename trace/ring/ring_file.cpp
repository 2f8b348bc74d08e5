// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/ring_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace meridian {
namespace {

constexpr std::uint32_t kMaxSlots = 65536;
constexpr std::uint64_t kMaxCalls = 65536;
constexpr std::uint64_t kMaxRingBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxBlockBytes = (std::uint64_t{1} << 19) - 8;

Error ring_error(Errc code, const std::filesystem::path& path, std::string_view reason) {
  return Error{code, "cannot open ring file '" + path.string() + "': " + std::string{reason}, ""};
}

// nullptr, or the error.
const char* check(const RingFileHeader& header, const RingFile::Geometry& geometry, std::uint64_t file_bytes,
                  bool is_head) {
  if (header.magic != kRingMagic) return "it is not a ring file";
  if (geometry.slot_count == 0 || geometry.slot_count > kMaxSlots) return "its number of slots is not valid";
  if (geometry.block_bytes < 512 || geometry.block_bytes > kMaxBlockBytes || geometry.block_bytes % kWordBytes != 0)
    return "its block size is not valid";
  if (geometry.ring_bytes == 0 || geometry.ring_bytes > kMaxRingBytes ||
      geometry.ring_bytes % geometry.block_bytes != 0)
    return "its ring size is not valid";
  if (geometry.data_offset % kRingPageBytes != 0 ||
      geometry.data_offset < kRingPageBytes + geometry.slot_count * sizeof(RingSlot) ||
      geometry.data_offset > kRingPageBytes * 2 + kMaxSlots * sizeof(RingSlot))
    return "its data offset is not valid";
  const std::uint64_t data_bytes = is_head ? 0 : geometry.slot_count * geometry.ring_bytes;
  if (file_bytes < geometry.data_offset + data_bytes) return "it is truncated";
  return nullptr;
}

std::string bounded(const char* text, std::size_t room) { return {text, ::strnlen(text, room)}; }

}  // namespace

int close_descriptor(int descriptor) noexcept { return descriptor < 0 ? 0 : ::close(descriptor); }

Result<RingFile> RingFile::open(const std::filesystem::path& path, Access access) {
  RingFile ring;
  ring.path_ = path;
  const bool is_shared = access == Access::drain;
  ring.file_ = Descriptor{::open(path.c_str(), (is_shared ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!ring.file_) return ring_error(errno == ENOENT ? Errc::not_found : Errc::io, path, std::strerror(errno));
  struct stat status {};
  if (::fstat(ring.file_.get(), &status) != 0) return ring_error(Errc::io, path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return ring_error(Errc::damaged, path, "not a regular file");
  if (::geteuid() != 0 && status.st_uid != ::geteuid()) return ring_error(Errc::io, path, "it belongs to another user");
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  if (file_bytes < kRingPageBytes) return ring_error(Errc::damaged, path, "it is truncated");

  const auto map = [&](std::uint64_t bytes) {
    return ::mmap(nullptr, bytes, is_shared ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, ring.file_.get(), 0);
  };
  void* const page = map(kRingPageBytes);
  if (page == MAP_FAILED) return ring_error(Errc::io, path, std::strerror(errno));
  const auto& header = *static_cast<const RingFileHeader*>(page);
  ring.geometry_ = {header.slot_count, header.ring_bytes, header.block_bytes, header.data_offset};
  const bool is_newer = header.magic == kRingMagic && header.version > kRingVersion;
  const std::uint32_t version = header.version;
  const char* const wrong = check(header, ring.geometry_, file_bytes, access == Access::head);
  ::munmap(page, kRingPageBytes);
  if (is_newer)
    return Error{Errc::unsupported,
                 "ring file '" + path.string() + "' has version " + std::to_string(version) +
                     ", this program reads up to " + std::to_string(kRingVersion),
                 "use a newer meridian"};
  if (wrong != nullptr) return ring_error(Errc::damaged, path, wrong);

  void* const base = map(ring.geometry_.data_offset);
  if (base == MAP_FAILED) return ring_error(Errc::io, path, std::strerror(errno));
  ring.header_ = static_cast<RingFileHeader*>(base);
  ring.slots_ = reinterpret_cast<RingSlot*>(static_cast<char*>(base) + kRingPageBytes);
  return ring;
}

RingFile::RingFile(RingFile&& other) noexcept
    : path_{std::move(other.path_)},
      file_{std::move(other.file_)},
      geometry_{other.geometry_},
      header_{std::exchange(other.header_, nullptr)},
      slots_{std::exchange(other.slots_, nullptr)} {}

RingFile& RingFile::operator=(RingFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(geometry_, other.geometry_);
  std::swap(header_, other.header_);
  std::swap(slots_, other.slots_);
  return *this;
}

Result<std::vector<std::uint64_t>> RingFile::passed_calls(std::size_t calls) const {
  const std::uint32_t stored = header_->passed_calls.load(std::memory_order_acquire);
  if (stored == 0) return std::vector<std::uint64_t>{};
  const std::uint64_t offset = header_->passed_offset;
  if (stored != calls || offset > kMaxRingBytes * kMaxSlots)
    return Error{Errc::damaged,
                 "ring file '" + path_.string() + "' counts calls that were not recorded as this version does not", ""};
  std::vector<std::uint64_t> sums(calls), shard(calls);
  for (std::uint32_t i = 0; i < kPassedShards; ++i) {
    MERIDIAN_TRY_DO(read_at(offset + i * calls * sizeof(std::uint64_t), std::as_writable_bytes(std::span{shard})));
    for (std::size_t call = 1; call < calls; ++call) sums[call] += shard[call];
  }
  return sums;
}

void RingFile::ask_all_threads() noexcept {
  for (std::uint32_t slot = 0; slot < geometry_.slot_count; ++slot) slots_[slot].asked.store(1);
  const std::uint64_t words = header_->passed_calls.load(std::memory_order_acquire);
  const std::uint64_t offset = header_->passed_offset;
  struct stat status {};
  if (words == 0 || words > kMaxCalls || offset < geometry_.data_offset || ::fstat(file_.get(), &status) != 0) return;
  const std::uint64_t bytes = kPassedShards * words * sizeof(std::uint64_t);
  const auto end = static_cast<std::uint64_t>(status.st_size);
  if (offset > end || end - offset < bytes) return;  // never writes outside the file
  constexpr std::uint64_t kAsked = 1;
  for (std::uint32_t i = 0; i < kPassedShards; ++i) {
    const ssize_t written =
        ::pwrite(file_.get(), &kAsked, sizeof kAsked, static_cast<off_t>(offset + i * words * sizeof(std::uint64_t)));
    static_cast<void>(written);  // otherwise its threads check at their next record
  }
}

RingFile::~RingFile() {
  if (header_ != nullptr) ::munmap(header_, geometry_.data_offset);
}

Result<RingFile::Range> RingFile::range(std::uint32_t index) const {
  const RingSlot& from = slots_[index];
  const Range range{.tail = from.tail.load(std::memory_order_acquire),
                    .head = from.head.load(std::memory_order_acquire)};
  if (range.head < range.tail || range.head - range.tail > geometry_.ring_bytes || range.head % kWordBytes != 0 ||
      range.tail % kWordBytes != 0)
    return Error{
        Errc::damaged,
        "slot " + std::to_string(index) + " of ring file '" + path_.string() + "' has positions that are not valid",
        ""};
  return range;
}

Status RingFile::read(std::uint32_t slot, std::uint64_t position, std::span<std::uint64_t> words) const {
  const std::uint64_t start = geometry_.data_offset + slot * geometry_.ring_bytes;
  std::span<std::byte> out = std::as_writable_bytes(words);
  while (!out.empty()) {
    const std::uint64_t at = position % geometry_.ring_bytes;
    const std::span<std::byte> piece = out.first(std::min<std::uint64_t>(out.size(), geometry_.ring_bytes - at));
    MERIDIAN_TRY_DO(read_at(start + at, piece));
    position += piece.size();
    out = out.subspan(piece.size());
  }
  return {};
}

Status RingFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return Error{
          got < 0 ? Errc::io : Errc::damaged,
          "cannot read ring file '" + path_.string() + "': " + (got < 0 ? std::strerror(errno) : "it is truncated"),
          ""};
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<std::vector<ThreadCard>> RingFile::cards() const {
  const std::uint64_t offset = header_->cards_offset;
  const std::uint32_t used = std::min(header_->next_thread.load(std::memory_order_acquire), header_->card_count);
  if (used > kCards || (used > 0 && (offset < geometry_.data_offset || offset > kMaxRingBytes * kMaxSlots)))
    return Error{Errc::damaged, "ring file '" + path_.string() + "' has thread data that are not valid", ""};
  std::vector<ThreadCard> cards(used);
  MERIDIAN_TRY_DO(read_at(offset, std::as_writable_bytes(std::span{cards})));
  return cards;
}

bool RingFile::lock() const noexcept { return ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0; }

bool RingFile::is_at_its_path() const noexcept {
  struct stat named {};
  struct stat opened {};
  return ::lstat(path_.c_str(), &named) == 0 && ::fstat(file_.get(), &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

uid_t RingFile::owner() const noexcept {
  struct stat opened {};
  return ::fstat(file_.get(), &opened) == 0 ? opened.st_uid : static_cast<uid_t>(-1);
}

std::string RingFile::output_dir() const {
  if (world_rank() < 0) return {};  // only then is the directory complete
  std::string dir = bounded(header_->output_dir, kPathBytes);
  return dir.size() < kPathBytes && dir.starts_with('/') ? dir : std::string{};
}

std::string RingFile::hostname() const { return bounded(header_->hostname, kNameBytes); }
std::string RingFile::executable() const { return bounded(header_->executable, kPathBytes); }

std::int32_t RingFile::world_rank() const noexcept {
  const std::int32_t rank = header_->world_rank.load(std::memory_order_acquire);
  return rank >= 0 && rank < world_size() ? rank : -1;
}

std::int32_t RingFile::world_size() const noexcept {
  return std::max(header_->world_size.load(std::memory_order_acquire), -1);
}

ClockKind RingFile::clock() const noexcept { return std::min(header_->clock, ClockKind::warped); }

bool RingFile::is_process_alive() const { return is_running(header_->pid, header_->process_start); }

std::uint64_t piece_end(const RingFile::Geometry& geometry, std::uint64_t position, std::uint64_t head) noexcept {
  constexpr std::uint64_t kPieceBytes = 256 * 1024;
  const std::uint64_t blocks = std::max<std::uint64_t>(kPieceBytes / geometry.block_bytes, 1);
  return std::min(head, (position / geometry.block_bytes + blocks) * geometry.block_bytes);
}

}  // namespace meridian
