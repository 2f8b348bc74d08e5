// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "trace/ring/sample_buffers.hpp"
#include "writer/samples/copied_stack.hpp"

namespace meridian {

/// The samples of one thread that it takes by a signal. Movable.
class SignalEvent {
 public:
  /// `buffers` must outlive this. nullopt: the thread takes none, or not yet.
  static std::optional<SignalEvent> open(SampleBuffers& buffers, std::uint32_t thread);

  /// Passes on the samples since the last call, in order of time. Returns the number of those for which there was no room.
  std::uint64_t drain(const std::function<void(std::uint64_t time_ns, const CopiedStack& stack)>& take);
  /// Processor time of the thread since it began to take samples, until its last one.
  std::uint64_t processor_ns() const noexcept;
  /// A word that changes with each sample from now on, with a wake-up of who waits for it (futex).
  const std::atomic<std::uint32_t>& bell() const noexcept;
  /// The thread has ended, and all its samples were taken over.
  void release() const noexcept { buffers_->release(thread_); }

 private:
  SignalEvent(SampleBuffers& buffers, std::uint32_t thread)
      : buffers_{&buffers}, thread_{thread}, sample_{std::make_unique<SignalSample>()} {}

  SampleBuffers* buffers_;
  std::uint32_t thread_;
  std::uint64_t dropped_ = 0;
  std::unique_ptr<SignalSample> sample_;
};

}  // namespace meridian
