// SPDX-License-Identifier: Apache-2.0
// Copies of a stack are unwound to what backtrace() says in the process.

#include "writer/samples/copied_stack.hpp"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/support/seed.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

#if defined(__x86_64__)

struct Moment {
  CopiedStack stack;
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> callers;  ///< by backtrace(), from the caller of the copying function on
};

/// Copies `bytes` bytes of this thread's stack, from here up.
[[gnu::noinline]] Moment copy_stack(std::size_t bytes) {
  Moment moment;
  ucontext_t here;
  ::getcontext(&here);
  moment.stack.ip = static_cast<std::uint64_t>(here.uc_mcontext.gregs[REG_RIP]);
  moment.stack.sp = static_cast<std::uint64_t>(here.uc_mcontext.gregs[REG_RSP]);
  moment.stack.bp = static_cast<std::uint64_t>(here.uc_mcontext.gregs[REG_RBP]);
  void* addresses[128];
  const int count = ::backtrace(addresses, 128);
  for (int i = 1; i < count; ++i) moment.callers.push_back(reinterpret_cast<std::uint64_t>(addresses[i]));
  moment.bytes.resize(bytes);
  std::memcpy(moment.bytes.data(), reinterpret_cast<const void*>(moment.stack.sp), bytes);
  moment.stack.bytes = moment.bytes;
  return moment;
}

[[gnu::noinline]] Moment go_down(int depth, std::size_t bytes) {
  if (depth == 0) return copy_stack(bytes);
  Moment moment = go_down(depth - 1, bytes);
  moment.stack.bytes = moment.bytes;  // it has moved
  return moment;
}

/// Has as many bytes of its own above the copy: above main(), some environments leave less.
[[gnu::noinline]] Moment descend(int depth, std::size_t bytes) {
  volatile std::byte room[8192];
  room[0] = std::byte{0};
  EXPECT_LE(bytes, sizeof room);
  return go_down(depth, bytes);
}

std::vector<std::uint64_t> unwound(const CopiedStack& stack) {
  LoadedFiles files{::getpid()};
  files.refresh();
  std::vector<std::uint64_t> addresses;
  unwind(stack, files, addresses);
  return addresses;
}

TEST(CopiedStack, IsUnwoundToTheCallersThatBacktraceHas) {
  const Moment moment = descend(10, 8192);
  const auto addresses = unwound(moment.stack);
  ASSERT_GT(addresses.size(), 12U);
  EXPECT_EQ(addresses[0], moment.stack.ip + 1);
  for (std::size_t i = 1; i <= 11; ++i) EXPECT_EQ(addresses[i], moment.callers[i - 1]) << i;
}

TEST(CopiedStack, ThatIsCutSaysThatThereAreMoreCallers) {
  const Moment moment = descend(60, 4096);
  const auto addresses = unwound(moment.stack);
  ASSERT_GT(addresses.size(), 5U);
  EXPECT_LT(addresses.size(), 60U);
  EXPECT_EQ(addresses.back(), kStackDeeper);
  for (std::size_t i = 1; i + 1 < addresses.size(); ++i) EXPECT_EQ(addresses[i], moment.callers[i - 1]) << i;
}

TEST(CopiedStack, InUnknownCodeHasNoCallers) {
  EXPECT_EQ(unwound({.ip = 16, .sp = 4096, .bp = 4096, .bytes = {}}), (std::vector<std::uint64_t>{17, kStackLost}));
}

TEST(CopiedStack, OfAnyContentsIsNotReadBeyondItsEnd) {
  Moment moment = descend(5, 4096);
  std::mt19937_64 random{test::seeded(37)};
  for (std::uint64_t i = 0; i < test::cases(2000); ++i) {
    std::vector<std::byte> bytes = moment.bytes;
    for (int flips = 0; flips < 40; ++flips) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes.resize(random() % bytes.size());
    CopiedStack stack = moment.stack;
    stack.bytes = bytes;
    if (random() % 4 == 0) stack.bp = random();
    EXPECT_LE(unwound(stack).size(), kMostSampledFrames + 1);
  }
}

#else

TEST(CopiedStack, IsUnwoundByFrameRecordsHere) { GTEST_SKIP() << "the registers of this processor are not read here"; }

#endif

}  // namespace
}  // namespace meridian
