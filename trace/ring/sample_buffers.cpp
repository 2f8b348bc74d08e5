// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/sample_buffers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace meridian {

void SampleBuffers::Unmap::operator()(SampleBuffer* heads) const noexcept { ::munmap(heads, kSampleHeadBytes); }

std::optional<SampleBuffers> SampleBuffers::open(const RingFile& ring) {
  const std::uint64_t offset = ring.header().sample_buffers_offset;
  struct stat status {};
  if (offset == 0 || offset % kRingPageBytes != 0 || offset < ring.geometry().data_offset ||
      ::fstat(ring.descriptor(), &status) != 0)
    return std::nullopt;
  const auto end = static_cast<std::uint64_t>(status.st_size);
  if (offset > end || end - offset < kAllSampleBytes) return std::nullopt;
  void* const memory = ::mmap(nullptr, kSampleHeadBytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.descriptor(),
                              static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return std::nullopt;
  return SampleBuffers{ring.descriptor(), offset, static_cast<SampleBuffer*>(memory)};
}

bool SampleBuffers::read(std::uint32_t thread, std::uint64_t n, SignalSample& sample) const noexcept {
  const std::uint64_t at = samples_at(offset_, thread) + n % kSampleRoom * sizeof sample;
  if (::pread(file_, &sample, sizeof sample, static_cast<off_t>(at)) != static_cast<ssize_t>(sizeof sample))
    return false;
  sample.bytes = std::min<std::uint64_t>(sample.bytes, sizeof sample.stack);
  return true;
}

void SampleBuffers::release(std::uint32_t thread) const noexcept {
  (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(samples_at(offset_, thread)),
                    static_cast<off_t>(kSampleBufferBytes));
}

}  // namespace meridian
