// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "trace/ring/ring_file.hpp"
#include "trace/ring/sample_layout.hpp"

namespace meridian {

/// The samples that threads of another process take by a signal, in its ring file. Samples are read with pread(), so that a truncated file
/// gives none, not a SIGBUS. Not thread-safe; movable.
class SampleBuffers {
 public:
  /// nullopt: the process takes none by a signal, or the file is damaged. `ring`: opened with Access::drain, must outlive this.
  static std::optional<SampleBuffers> open(const RingFile& ring);

  /// Of the thread with this ThreadId, which must be less than kSampleBuffers.
  SampleBuffer& head(std::uint32_t thread) noexcept { return heads_.get()[thread]; }
  /// Copies the n-th sample of a thread; false: it cannot be read.
  bool read(std::uint32_t thread, std::uint64_t n, SignalSample& sample) const noexcept;
  /// Gives back the memory of a thread that takes no more samples.
  void release(std::uint32_t thread) const noexcept;

 private:
  struct Unmap {
    void operator()(SampleBuffer* heads) const noexcept;
  };
  SampleBuffers(int file, std::uint64_t offset, SampleBuffer* heads) : file_{file}, offset_{offset}, heads_{heads} {}

  int file_;
  std::uint64_t offset_;
  std::unique_ptr<SampleBuffer, Unmap> heads_;
};

}  // namespace meridian
