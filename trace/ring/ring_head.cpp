// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/ring_head.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

/// Header and slots as they are in memory now. Slots are taken in order: no slot after an unused one is in use.
std::vector<std::byte> head_of(const RingFile& ring) {
  std::uint32_t used = 0;
  while (used < ring.geometry().slot_count &&
         (ring.slot(used).state.load(std::memory_order_acquire) != SlotState::free ||
          ring.slot(used).head.load(std::memory_order_acquire) != 0))
    ++used;
  std::vector<std::byte> bytes(kRingPageBytes + used * sizeof(RingSlot));
  std::memcpy(bytes.data(), static_cast<const void*>(&ring.header()), sizeof(RingFileHeader));
  if (used > 0)
    std::memcpy(bytes.data() + kRingPageBytes, static_cast<const void*>(&ring.slot(0)), used * sizeof(RingSlot));
  return bytes;
}

}  // namespace

Status write_ring_head(const RingFile& ring, const std::filesystem::path& path, std::size_t calls) {
  const Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  const auto refuse = [&] {
    return Error{Errc::io, "cannot write '" + path.string() + "': " + std::strerror(errno), ""};
  };
  if (file.get() < 0 || ::ftruncate(file.get(), static_cast<off_t>(ring.file_bytes())) != 0) return refuse();
  // Counts and cards first: a copy that an interruption cut off refers to none that are not there.
  const auto passed = ring.passed_calls(calls);
  if (passed && !passed->empty() &&
      !write_at(file.get(), ring.header().passed_offset, std::as_bytes(std::span{*passed})))
    return refuse();
  const auto cards = ring.cards();
  if (cards && !cards->empty() && !write_at(file.get(), ring.header().cards_offset, std::as_bytes(std::span{*cards})))
    return refuse();
  return write_at(file.get(), 0, head_of(ring)) ? Status{} : Status{refuse()};
}

}  // namespace meridian
