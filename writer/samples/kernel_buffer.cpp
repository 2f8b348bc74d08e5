// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/kernel_buffer.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace meridian {
namespace {

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

std::string refusal(int problem) {
  switch (problem) {
    case EACCES:
      return "EACCES";
    case EPERM:
      return "EPERM";
    case ENOSYS:
      return "ENOSYS";
    case EMFILE:
      return "EMFILE";
    default:
      return std::strerror(problem);
  }
}

std::uint64_t lost_records(std::span<const std::byte> bytes) {
  struct {
    std::uint64_t id, lost;
  } record{};
  return take_part(bytes, record) ? record.lost : 0;
}

void KernelBuffer::Unmap::operator()(void* memory) const noexcept { ::munmap(memory, bytes); }

Result<KernelBuffer> KernelBuffer::map(Descriptor event, std::size_t most, std::size_t least) {
  for (std::size_t bytes = most; bytes >= least; bytes /= 2) {
    const std::size_t all = page_bytes() + bytes;
    void* const memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
    if (memory != MAP_FAILED) return KernelBuffer{std::move(event), std::unique_ptr<void, Unmap>{memory, Unmap{all}}};
  }
  return Error{Errc::io, refusal(errno) + ": no memory may be locked for the kernel's buffer", ""};
}

std::size_t KernelBuffer::size() const noexcept { return memory_.get_deleter().bytes - page_bytes(); }

void KernelBuffer::copy(std::uint64_t position, std::span<std::byte> out) const noexcept {
  const auto* const buffer = static_cast<const std::byte*>(memory_.get()) + page_bytes();
  const std::size_t at = static_cast<std::size_t>(position % size()), first = std::min(out.size(), size() - at);
  std::memcpy(out.data(), buffer + at, first);
  std::memcpy(out.data() + first, buffer, out.size() - first);
}

double KernelBuffer::drain(const Take& take) {
  auto& page = *static_cast<perf_event_mmap_page*>(memory_.get());
  const std::uint64_t head = __atomic_load_n(&page.data_head, __ATOMIC_ACQUIRE);
  const std::uint64_t begin = page.data_tail;
  std::uint64_t tail = begin;
  while (head - tail >= sizeof(perf_event_header)) {
    perf_event_header header;
    copy(tail, std::as_writable_bytes(std::span{&header, 1}));
    if (header.size < sizeof header || header.size > head - tail) {
      tail = head;
      break;
    }
    record_.resize(header.size);
    copy(tail, record_);
    tail += header.size;
    take(header.type, header.misc, std::span<const std::byte>{record_}.subspan(sizeof header));
  }
  __atomic_store_n(&page.data_tail, tail, __ATOMIC_RELEASE);
  return static_cast<double>(tail - begin) / static_cast<double>(size());
}

}  // namespace meridian
