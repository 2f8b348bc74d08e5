// SPDX-License-Identifier: Apache-2.0
// Walks through real stacks, compared with backtrace(): the unwinder of the compiler's own library.

#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <string_view>
#include <thread>

#include "tests/support/seed.hpp"
#include "walked.hpp"

namespace meridian {
namespace {

using test::Addresses;
using test::OwnStacks;

struct Seen {
  Addresses ours;
  Addresses others;  // the innermost is in the same function, at another call
};

Stacks* g_stacks = nullptr;
Seen g_seen;

[[gnu::noinline]] void look() {
  void* found[1000];
  const int count = backtrace(found, 1000);
  g_seen.others.clear();
  for (int i = 0; i < count; ++i) g_seen.others.push_back(reinterpret_cast<std::uintptr_t>(found[i]));
  g_seen.ours = test::walk_from_here(*g_stacks);
  asm volatile("");
}

std::string_view file_of(std::uintptr_t address) {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(address - 1), &info) != 0 ? info.dli_fname : "";
}

/// Without what calls main(), or the routine of a thread.
Addresses program_of(Addresses all) {
  if (file_of(all.back()) == file_of(reinterpret_cast<std::uintptr_t>(&file_of))) all.pop_back();  // _start
  while (file_of(all.back()).find("/libc.so") != std::string_view::npos) all.pop_back();
  return all;
}

void expect_same(Seen seen) {
  seen.others = program_of(seen.others);
  ASSERT_GE(seen.ours.size(), 3u);
  ASSERT_EQ(seen.ours.size(), seen.others.size());
  for (std::size_t i = 1; i < seen.ours.size(); ++i) EXPECT_EQ(seen.ours[i], seen.others[i]) << "frame " << i;
}

class Unwind : public testing::Test {
 protected:
  explicit Unwind(std::uint32_t depth = 256) : stacks_{make_stacks(depth, 0)} { g_stacks = stacks_.get(); }
  OwnStacks stacks_;
};

[[gnu::noinline]] int deeper(int levels) {
  if (levels == 0)
    look();
  else
    deeper(levels - 1);
  asm volatile("");
  return levels;
}

[[gnu::noinline]] void with_variable_frame(std::size_t bytes) {
  auto* const room = static_cast<char*>(alloca(bytes));
  std::memset(room, 1, bytes);
  look();
  asm volatile("" : : "r"(room) : "memory");
}

[[gnu::noinline]] void with_aligned_frame(int levels) {
  alignas(64) volatile char room[192];
  room[0] = 1;
  if (levels > 0)
    with_aligned_frame(levels - 1);
  else
    look();
  asm volatile("" : : "r"(&room) : "memory");
}

[[gnu::noinline]] void with_large_frame() {
  volatile char room[100'000];
  room[0] = 1;
  look();
  asm volatile("" : : "r"(&room) : "memory");
}

int compare(const void* a, const void* b) {
  look();
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

struct Base {
  virtual ~Base() = default;
  virtual void act() = 0;
};
struct Derived : Base {
  void act() override {
    look();
    asm volatile("");
  }
};

TEST_F(Unwind, SeesWhatTheCompilersLibrarySees) {
  look();
  expect_same(g_seen);
  deeper(30);
  expect_same(g_seen);
}

TEST_F(Unwind, WalksThroughFramesOfAllShapes) {
  with_variable_frame(1);
  expect_same(g_seen);
  with_variable_frame(5000);
  expect_same(g_seen);
  with_aligned_frame(3);
  expect_same(g_seen);
  with_large_frame();
  expect_same(g_seen);
}

TEST_F(Unwind, WalksThroughLibrariesThatCallBack) {
  int numbers[]{3, 1, 2};
  std::qsort(numbers, 3, sizeof(int), &compare);
  expect_same(g_seen);
  const std::function<void()> call = [] {
    look();
    asm volatile("");
  };
  call();
  expect_same(g_seen);
  Derived derived;
  Base* const base = &derived;
  base->act();
  expect_same(g_seen);
  std::call_once(*std::make_unique<std::once_flag>(), [] { look(); });
  expect_same(g_seen);
}

TEST_F(Unwind, WorksAfterAnException) {
  const auto thrower = [](int levels) {
    deeper(levels);
    throw levels;
  };
  for (int i = 0; i < 3; ++i) {
    try {
      thrower(i);
    } catch (int) {
      look();
      expect_same(g_seen);
    }
  }
}

TEST_F(Unwind, SeesThreadsToTheirBeginning) {
  Seen seen;
  std::thread thread{[&] {
    const OwnStacks own{make_stacks(256, 0)};
    g_stacks = own.get();
    deeper(5);
    seen = g_seen;
  }};
  thread.join();
  expect_same(seen);
}

struct SmallThread {
  Seen seen;
  bool is_done = false;
};
void* run_in_small_thread(void* argument) {
  auto& result = *static_cast<SmallThread*>(argument);
  const OwnStacks own{make_stacks(256, 0)};
  const std::uint32_t count = walk_stack(*own, __builtin_frame_address(0), return_address(__builtin_frame_address(0)));
  result.seen.ours.assign(own->addresses, own->addresses + count);
  result.is_done = true;
  return nullptr;
}

TEST_F(Unwind, NeedsLittleRoomAndWalksStacksThatTheProgramProvides) {
  const auto bytes = static_cast<std::size_t>(PTHREAD_STACK_MIN);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstack(&attributes, memory, bytes), 0);
  SmallThread result;
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, &run_in_small_thread, &result), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(memory, bytes);
  ASSERT_TRUE(result.is_done);
  EXPECT_GE(result.seen.ours.size(), 1u);
  EXPECT_GT(result.seen.ours.back(), kStackLost) << "it came to the beginning";
}

class ShallowUnwind : public Unwind {
 protected:
  ShallowUnwind() : Unwind{7} {}
};

TEST_F(ShallowUnwind, StopsAtTheRequestedDepthAndMarksIt) {
  deeper(30);
  ASSERT_EQ(g_seen.ours.size(), 8u);
  for (std::size_t i = 1; i < 7; ++i) EXPECT_EQ(g_seen.ours[i], g_seen.others[i]);
  EXPECT_EQ(g_seen.ours[7], kStackDeeper);
}

TEST_F(ShallowUnwind, HasTheRequestedDepthInRecursionsDeeperThanAnyLimit) {
  deeper(50'000);
  ASSERT_EQ(g_seen.ours.size(), 8u);
  EXPECT_EQ(g_seen.ours[7], kStackDeeper);
}

void look_again() {
  look();
  asm volatile("");
}

TEST_F(Unwind, StopsAtUnknownCode) {
#if defined(__aarch64__)
  // stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret
  constexpr std::uint32_t kCode[]{0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0};
  constexpr std::uintptr_t kReturn = 12;
#else
  // push rbp; mov rbp, rsp; call rdi; pop rbp; ret
  constexpr unsigned char kCode[]{0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
  constexpr std::uintptr_t kReturn = 6;
#endif
  void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memcpy(memory, kCode, sizeof kCode);
  ASSERT_EQ(mprotect(memory, 4096, PROT_READ | PROT_EXEC), 0);
  __builtin___clear_cache(static_cast<char*>(memory), static_cast<char*>(memory) + sizeof kCode);
  reinterpret_cast<void (*)(void (*)())>(memory)(&look_again);
  ASSERT_EQ(g_seen.ours.size(), 4u);  // look(), look_again(), the code
  EXPECT_EQ(g_seen.ours[2], reinterpret_cast<std::uintptr_t>(memory) + kReturn);
  EXPECT_EQ(g_seen.ours[3], kStackLost);
  munmap(memory, 4096);
}

void handle(int) {
  look();
  asm volatile("");
}

TEST_F(Unwind, StopsBelowASignalHandler) {
  struct sigaction action {
  }, before{};
  action.sa_handler = &handle;
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  ASSERT_EQ(g_seen.ours.size(), 4u);  // look(), handle(), what the kernel returns to
  EXPECT_EQ(g_seen.ours[1], g_seen.others[1]);
  EXPECT_EQ(g_seen.ours[2], g_seen.others[2]);
  EXPECT_EQ(g_seen.ours[3], kStackLost);
}

TEST_F(Unwind, ReadsOnlyTheThreadsOwnStack) {
  static char room[64 << 10];
  stack_t alternate{}, before{};
  alternate.ss_sp = room;
  alternate.ss_size = sizeof room;
  sigaltstack(&alternate, &before);
  struct sigaction action {
  }, old{};
  action.sa_handler = &handle;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, &old);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &old, nullptr);
  sigaltstack(&before, nullptr);
  ASSERT_EQ(g_seen.ours.size(), 2u);
  EXPECT_EQ(g_seen.ours[1], kStackLost);
}

ucontext_t g_main, g_coroutine;
void run_coroutine() {
  look();
  swapcontext(&g_coroutine, &g_main);
}

TEST_F(Unwind, SeesOnlyTheCallInACoroutine) {
  std::vector<char> room(256 << 10);
  getcontext(&g_coroutine);
  g_coroutine.uc_stack.ss_sp = room.data();
  g_coroutine.uc_stack.ss_size = room.size();
  g_coroutine.uc_link = &g_main;
  makecontext(&g_coroutine, &run_coroutine, 0);
  swapcontext(&g_main, &g_coroutine);
  ASSERT_EQ(g_seen.ours.size(), 2u);
  EXPECT_EQ(g_seen.ours[1], kStackLost);
}

TEST_F(Unwind, ForgetsItsRulesWhenAFileWasUnloaded) {
  look();
  const Seen before = g_seen;
  for (Stacks::Rule& slot : stacks_->rule_slots)
    if (slot.return_address != 0) slot.rule = {};  // as if another file had been there
  look();
  EXPECT_EQ(g_seen.ours.size(), 2u);
  g_unloads.fetch_add(1);
  look();
  // Frame 1 is this function, at another call.
  EXPECT_EQ(Addresses(g_seen.ours.begin() + 2, g_seen.ours.end()),
            Addresses(before.ours.begin() + 2, before.ours.end()));
}

/// Pages of stack between pages that cannot be read.
class Guarded {
 public:
  static constexpr std::size_t kPage = 4096, kBytes = 2 * kPage;
  Guarded()
      : base_{static_cast<char*>(mmap(nullptr, kBytes + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))} {
    mprotect(base_ + kPage, kBytes, PROT_READ | PROT_WRITE);
  }
  ~Guarded() { munmap(base_, kBytes + 2 * kPage); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::span<std::uintptr_t> words() const {
    return {reinterpret_cast<std::uintptr_t*>(base_ + kPage), kBytes / sizeof(std::uintptr_t)};
  }

 private:
  char* base_;
};

TEST_F(Unwind, ReadsNothingBeyondAStackWhateverItContains) {
  // Return addresses of real code, so that all kinds of rules are followed, on stacks full of nonsense.
  Addresses code;
  const auto take = [&] { code.insert(code.end(), g_seen.others.begin(), g_seen.others.end()); };
  with_variable_frame(100), take();
  with_aligned_frame(2), take();
  int numbers[]{3, 1, 2};
  std::qsort(numbers, 3, sizeof(int), &compare), take();
  const auto libc = reinterpret_cast<std::uintptr_t>(&qsort);
  std::mt19937_64 random{test::seeded(42)};
  for (int i = 0; i < 2000; ++i) code.push_back(libc + random() % 200'000);
  const Guarded stack;
  const auto words = stack.words();
  const auto low = reinterpret_cast<std::uintptr_t>(words.data());
  const std::uintptr_t high = low + words.size_bytes();
  stacks_->low = low;
  stacks_->high = high;
  std::size_t longest = 0, lost = 0;
  for (int round = 0; round < 20'000; ++round) {
    for (std::uintptr_t& word : words) {
      const std::uint64_t kind = random() % 8;
      word = kind < 4 ? code[random() % code.size()] : kind < 7 ? low + random() % Guarded::kBytes / 8 * 8 : random();
    }
    const std::size_t at = round % 2 == 0 ? 0 : random() % (words.size() - 2);
    const std::uint32_t count = walk_stack(*stacks_, &words[at], words[at + 1]);
    ASSERT_GE(count, 1u);
    ASSERT_LE(count, 257u);
    longest = std::max<std::size_t>(longest, count);
    lost += stacks_->addresses[count - 1] == kStackLost;
  }
  EXPECT_GT(longest, 5u) << "the test does follow rules";
  EXPECT_GT(lost, 1000u);
}

}  // namespace
}  // namespace meridian
