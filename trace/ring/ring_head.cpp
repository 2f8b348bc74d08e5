// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/ring_head.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace meridian {
namespace {

bool write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// A buffer in which fields of the header get another value.
class HeadBytes {
 public:
  /// Header and slots as they are in memory now. Slots are taken in order: no slot after an unused one is in use.
  explicit HeadBytes(const RingFile& ring) {
    std::uint32_t used = 0;
    while (used < ring.geometry().slot_count &&
           (ring.slot(used).state.load(std::memory_order_acquire) != SlotState::free ||
            ring.slot(used).head.load(std::memory_order_acquire) != 0))
      ++used;
    bytes_.resize(kRingPageBytes + used * sizeof(RingSlot));
    std::memcpy(bytes_.data(), static_cast<const void*>(&ring.header()), sizeof(RingFileHeader));
    if (used > 0)
      std::memcpy(bytes_.data() + kRingPageBytes, static_cast<const void*>(&ring.slot(0)), used * sizeof(RingSlot));
  }
  template <class T>
  void set(std::size_t field, T value) {
    std::memcpy(bytes_.data() + field, &value, sizeof value);
  }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

Status write_ring_head(const RingFile& ring, const std::filesystem::path& path, std::size_t calls) {
  HeadBytes head{ring};
  const auto cards = ring.cards();
  const auto passed = ring.passed_calls(calls);
  const std::uint64_t cards_at = ring.geometry().data_offset;
  const std::uint32_t card_count = cards ? static_cast<std::uint32_t>(cards->size()) : 0;
  const std::uint64_t passed_at = cards_at + card_count * sizeof(ThreadCard);
  const bool has_passed = passed && !passed->empty();
  head.set(offsetof(RingFileHeader, cards_offset), cards_at);
  head.set(offsetof(RingFileHeader, card_count), card_count);
  head.set(offsetof(RingFileHeader, passed_offset), passed_at);
  head.set(offsetof(RingFileHeader, sample_buffers_offset), std::uint64_t{0});
  head.set(offsetof(RingFileHeader, passed_calls), has_passed ? static_cast<std::uint32_t>(calls) : 0);

  const Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  const auto refuse = [&] {
    return Error{Errc::io, "cannot write '" + path.string() + "': " + std::strerror(errno), ""};
  };
  const std::uint64_t shards = has_passed ? kPassedShards * calls * sizeof(std::uint64_t) : 0;
  if (file.get() < 0 || ::ftruncate(file.get(), static_cast<off_t>(passed_at + shards)) != 0) return refuse();
  // Counts and cards first: a copy that an interruption cut off refers to none that are not there.
  if (has_passed && !write_at(file.get(), passed_at, std::as_bytes(std::span{*passed}))) return refuse();
  if (card_count > 0 && !write_at(file.get(), cards_at, std::as_bytes(std::span{*cards}))) return refuse();
  return write_at(file.get(), 0, head.bytes()) ? Status{} : Status{refuse()};
}

}  // namespace meridian
