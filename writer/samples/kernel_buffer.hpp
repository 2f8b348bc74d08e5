// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// The records of an event of the kernel (perf_event_open(2)), in the order in which they happened. Movable.
class KernelBuffer {
 public:
  /// Takes a record: `type` is PERF_RECORD_*, `misc` its bits, `bytes` what follows its header, valid during the call.
  using Take = std::function<void(std::uint32_t type, std::uint16_t misc, std::span<const std::byte> bytes)>;

  /// Maps a buffer for an event: of `most` bytes, or half of it and so on, down to `least`, where the user may lock no more memory.
  /// Both are powers of two. errors: io, `what` is the reason
  static Result<KernelBuffer> map(Descriptor event, std::size_t most, std::size_t least);

  /// Passes on the records since the last call. Returns the part of the buffer that they filled.
  double drain(const Take& take);
  int event() const noexcept { return event_.get(); }

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(void* memory) const noexcept;
  };
  KernelBuffer(Descriptor event, std::unique_ptr<void, Unmap> memory)
      : event_{std::move(event)}, memory_{std::move(memory)} {}
  std::size_t size() const noexcept;
  /// Copies the next `bytes` of the buffer, which wraps around.
  void copy(std::uint64_t position, std::span<std::byte> out) const noexcept;

  Descriptor event_;
  std::unique_ptr<void, Unmap> memory_;  // a page of the kernel's positions, then the buffer
  std::vector<std::byte> record_;
};

/// Takes the next part of a record; false: the record is too short.
template <class T>
bool take_part(std::span<const std::byte>& bytes, T& part) {
  if (bytes.size() < sizeof part) return false;
  std::memcpy(&part, bytes.data(), sizeof part);
  bytes = bytes.subspan(sizeof part);
  return true;
}

/// The number of records that the kernel dropped; `bytes`: of a PERF_RECORD_LOST.
std::uint64_t lost_records(std::span<const std::byte> bytes);

/// The name of an errno with which the kernel refuses an event.
std::string refusal(int problem);

}  // namespace meridian
