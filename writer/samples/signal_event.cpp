// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/signal_event.hpp"

#include <span>
#include <utility>

namespace meridian {

std::optional<SignalEvent> SignalEvent::open(SampleBuffers& buffers, std::uint32_t thread) {
  if (thread >= kSampleBuffers) return std::nullopt;
  const SampleState state = buffers.head(thread).state.load(std::memory_order_acquire);
  if (state != SampleState::taking && state != SampleState::ended) return std::nullopt;
  return SignalEvent{buffers, thread};
}

std::uint64_t SignalEvent::drain(const std::function<void(std::uint64_t time_ns, const CopiedStack& stack)>& take) {
  SampleBuffer& head = buffers_->head(thread_);
  const std::uint64_t taken = head.taken.load(std::memory_order_acquire);
  std::uint64_t next = head.read.load(std::memory_order_relaxed);
  if (taken - next > kSampleRoom) next = taken - kSampleRoom;  // damaged
  for (; next < taken; ++next)
    if (SignalSample& sample = *sample_; buffers_->read(thread_, next, sample))
      take(sample.time_ns, {sample.ip, sample.sp, sample.bp, std::span{sample.stack}.first(sample.bytes)});
  head.read.store(next, std::memory_order_release);
  const std::uint64_t dropped = head.dropped.load(std::memory_order_relaxed);
  return dropped - std::exchange(dropped_, dropped);
}

std::uint64_t SignalEvent::processor_ns() const noexcept {
  return buffers_->head(thread_).processor_ns.load(std::memory_order_acquire);
}

const std::atomic<std::uint32_t>& SignalEvent::bell() const noexcept {
  SampleBuffer& head = buffers_->head(thread_);
  head.is_watched.store(1, std::memory_order_release);
  return head.bell;
}

}  // namespace meridian
