// SPDX-License-Identifier: Apache-2.0
// Samples that threads take by a signal, as the writer finds them in the ring file.

#include "writer/samples/signal_event.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "tests/support/ring_producer.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using namespace test;

class SignalEvents : public testing::Test {
 protected:
  static constexpr std::uint32_t kThread = 3;

  void SetUp() override {
    offset = (std::filesystem::file_size(made.path()) + kRingPageBytes - 1) / kRingPageBytes * kRingPageBytes;
    std::filesystem::resize_file(made.path(), offset + kAllSampleBytes);
    made.header().sample_buffers_offset = offset;
  }
  /// Stores the n-th sample as the thread's handler would.
  void store(SampleBuffers& buffers, std::uint64_t n) const {
    SignalSample sample{};
    sample.time_ns = 1000 + n;
    sample.ip = 7 * n;
    sample.bytes = n;
    std::memset(sample.stack, static_cast<int>(n), sizeof sample.stack);
    std::fstream file{made.path(), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(static_cast<std::streamoff>(samples_at(offset, kThread) + n % kSampleRoom * sizeof sample));
    file.write(reinterpret_cast<const char*>(&sample), sizeof sample);
    file.close();
    buffers.head(kThread).taken.store(n + 1);
  }
  static std::vector<std::uint64_t> take(SignalEvent& event, std::uint64_t& dropped) {
    std::vector<std::uint64_t> times;
    dropped = event.drain([&](std::uint64_t time_ns, const CopiedStack& stack) {
      times.push_back(time_ns);
      EXPECT_EQ(stack.ip, 7 * (time_ns - 1000));
      EXPECT_EQ(stack.bytes.size(), time_ns - 1000);
      for (const std::byte byte : stack.bytes) EXPECT_EQ(static_cast<std::uint64_t>(byte), time_ns - 1000);
    });
    return times;
  }

  TempDir dir;
  TestRing made{dir / "a.ring", {}};
  std::uint64_t offset = 0;
};

TEST_F(SignalEvents, AreTakenOverOnceAndInOrder) {
  const RingFile ring = *RingFile::open(made.path(), RingFile::Access::drain);
  auto buffers = SampleBuffers::open(ring);
  ASSERT_TRUE(buffers);
  EXPECT_FALSE(SignalEvent::open(*buffers, kThread));  // it has no timer yet
  buffers->head(kThread).state.store(SampleState::taking);
  auto event = SignalEvent::open(*buffers, kThread);
  ASSERT_TRUE(event);
  std::uint64_t dropped = 0;
  store(*buffers, 0);
  store(*buffers, 1);
  EXPECT_EQ(take(*event, dropped), (std::vector<std::uint64_t>{1000, 1001}));
  EXPECT_EQ(take(*event, dropped), (std::vector<std::uint64_t>{}));
  for (std::uint64_t n = 2; n < 40; ++n) {
    store(*buffers, n);
    EXPECT_EQ(take(*event, dropped), (std::vector<std::uint64_t>{1000 + n}));
  }
  EXPECT_EQ(buffers->head(kThread).read.load(), 40U);
  EXPECT_EQ(dropped, 0U);
}

TEST_F(SignalEvents, WithoutRoomAreCountedOnce) {
  const RingFile ring = *RingFile::open(made.path(), RingFile::Access::drain);
  auto buffers = SampleBuffers::open(ring);
  ASSERT_TRUE(buffers);
  buffers->head(kThread).state.store(SampleState::ended);  // what it left is still there
  auto event = SignalEvent::open(*buffers, kThread);
  ASSERT_TRUE(event);
  buffers->head(kThread).dropped.store(5);
  buffers->head(kThread).processor_ns.store(123);
  std::uint64_t dropped = 0;
  EXPECT_TRUE(take(*event, dropped).empty());
  EXPECT_EQ(dropped, 5U);
  EXPECT_TRUE(take(*event, dropped).empty());
  EXPECT_EQ(dropped, 0U);
  EXPECT_EQ(event->processor_ns(), 123U);
}

TEST_F(SignalEvents, OfADamagedFileAreAtMostThoseThatHaveRoom) {
  const RingFile ring = *RingFile::open(made.path(), RingFile::Access::drain);
  auto buffers = SampleBuffers::open(ring);
  ASSERT_TRUE(buffers);
  buffers->head(kThread).state.store(SampleState::taking);
  auto event = SignalEvent::open(*buffers, kThread);
  ASSERT_TRUE(event);
  buffers->head(kThread).taken.store(UINT64_MAX);
  std::uint64_t samples = 0;
  event->drain([&](std::uint64_t, const CopiedStack& stack) {
    ++samples;
    EXPECT_LE(stack.bytes.size(), kSampledStackBytes);
  });
  EXPECT_EQ(samples, kSampleRoom);
}

TEST_F(SignalEvents, AreNotLookedForWhereTheFileIsTooShort) {
  std::filesystem::resize_file(made.path(), offset + kAllSampleBytes - 1);
  const RingFile ring = *RingFile::open(made.path(), RingFile::Access::drain);
  EXPECT_FALSE(SampleBuffers::open(ring));
  made.header().sample_buffers_offset = 1;
  EXPECT_FALSE(SampleBuffers::open(ring));
  made.header().sample_buffers_offset = UINT64_MAX / kRingPageBytes * kRingPageBytes;
  EXPECT_FALSE(SampleBuffers::open(ring));
  made.header().sample_buffers_offset = 0;
  EXPECT_FALSE(SampleBuffers::open(ring));
}

}  // namespace
}  // namespace meridian
