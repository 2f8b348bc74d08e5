// SPDX-License-Identifier: Apache-2.0
// The memory of another process over time, as the kernel counts it.

#include "writer/samples/memory_times.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "child.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/records/finish/finish_rank.hpp"
#include "writer/samples/memory_use.hpp"
#include "writer/samples/sampler.hpp"

namespace meridian {
namespace {

using namespace test;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kStep = 8 * kMiB;
constexpr std::uint64_t kInexact = 2 * kMiB;  // the kernel adds up pages of each processor now and then
constexpr std::uint64_t kLongNs = 1'000'000'000;

/// Makes pages resident that ThreadSanitizer does not know of: it would have as many of its own.
__attribute__((no_sanitize("thread"))) void touch_more() {
  const long more = ::syscall(SYS_mmap, nullptr, kStep, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* const pages = reinterpret_cast<volatile char*>(more);
  ::madvise(const_cast<char*>(pages), kStep, MADV_NOHUGEPAGE);
  for (std::uint64_t at = 0; at < kStep; at += 4096) pages[at] = 1;
}

/// A program that makes some more of its memory resident when it is told to.
class Memory : public testing::Test {
 protected:
  struct Steps {
    std::atomic<std::uint32_t> wanted{0}, done{0};
    std::atomic<std::uint64_t> faults{0};  // minor ones, as the program itself counts them
  };

  void SetUp() override {
    std::filesystem::create_directory(out);
    made.set_output(out, 2);
    made.header().sample_hz = 0;
    made.header().clock = ClockKind::monotonic_raw;
    void* const shared = ::mmap(nullptr, sizeof(Steps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    steps = new (shared) Steps;
  }
  /// It has touched once what it needs for itself.
  Child start() {
    Child program = start_program(made, [this] {
      for (;;) {
        while (steps->done.load() == steps->wanted.load()) ::usleep(100);
        touch_more();
        struct rusage usage {};
        ::getrusage(RUSAGE_SELF, &usage);
        steps->faults.store(static_cast<std::uint64_t>(usage.ru_minflt));
        steps->done.fetch_add(1);
      }
    });
    grow();
    return program;
  }
  void grow() {
    const std::uint32_t wanted = steps->wanted.fetch_add(1) + 1;
    ASSERT_TRUE(eventually([&] { return steps->done.load() == wanted; }));
  }
  std::vector<MemoryRow> rows() {
    const auto finished = finish_rank(ring, pieces_of(made.path(), out, 2), out);
    EXPECT_TRUE(finished) << finished.error().what;
    auto table = MemoryTable::open(out / "rank-00002.h5", "");
    EXPECT_TRUE(table) << table.error().what;
    std::vector<MemoryRow> all;
    for (;;) {
      const auto some = table->next();
      EXPECT_TRUE(some) << some.error().what;
      if (!some || some->empty()) return all;
      all.insert(all.end(), some->begin(), some->end());
    }
  }
  RingFile open() { return *RingFile::open(made.path(), RingFile::Access::drain); }
  SampleSpoolWriter spool() { return *SampleSpoolWriter::create(samples_in_output(out, 2), ring); }

  TempDir dir;
  std::filesystem::path out = dir / "out";
  TestRing made{dir / "a.ring", {}};
  Steps* steps = nullptr;
  RingFile ring = open();
};

TEST_F(Memory, GrowsByWhatTheProgramTouches) {
  const Child program = start();
  const auto before = memory_use(program.pid());
  ASSERT_TRUE(before);
  grow();
  const auto after = memory_use(program.pid());
  ASSERT_TRUE(after);
  EXPECT_NEAR(static_cast<double>(after->resident_bytes - before->resident_bytes), kStep, kInexact);
  EXPECT_GE(after->peak_bytes, after->resident_bytes);
  EXPECT_GE(after->minor_faults - before->minor_faults, kStep / 4096);
  EXPECT_GE(after->minor_faults, steps->faults.load());
  EXPECT_LE(after->minor_faults, steps->faults.load() + 64);
}

TEST_F(Memory, OfAProcessThatHasEndedIsUnknown) {
  Child program = start();
  const pid_t pid = program.pid();
  program.send(SIGKILL);
  ASSERT_TRUE(eventually([&] { return !memory_use(pid); }));  // a zombie has none
  program.wait();
  EXPECT_FALSE(memory_use(pid));
}

TEST_F(Memory, HasARowWhereItChangesAndOneBefore) {
  const Child program = start();
  {
    MemoryTimes times{program.pid(), ClockKind::monotonic_raw};
    SampleSpoolWriter written = spool();
    std::uint64_t now_ns = kLongNs;
    const auto take = [&](bool is_last = false) { times.take(now_ns += kLongNs, is_last, written); };
    take();
    for (int i = 0; i < 10; ++i) take();
    grow();
    take();
    for (int i = 0; i < 10; ++i) take();
    take(true);
    ASSERT_TRUE(written.store());
  }
  const std::vector<MemoryRow> read = rows();
  ASSERT_EQ(read.size(), 4U);
  const auto step = [&](std::size_t i) {
    return static_cast<double>(read[i].resident_bytes) - static_cast<double>(read[i - 1].resident_bytes);
  };
  EXPECT_NEAR(step(1), 0, MemoryTimes::kLeastBytes);
  EXPECT_NEAR(step(2), kStep, kInexact);
  EXPECT_NEAR(step(3), 0, MemoryTimes::kLeastBytes);
  for (std::size_t i = 1; i < read.size(); ++i) EXPECT_GT(read[i].ticks, read[i - 1].ticks);
}

TEST_F(Memory, IsReadAtMostOnceInAStep) {
  const Child program = start();
  {
    MemoryTimes times{program.pid(), ClockKind::monotonic_raw};
    SampleSpoolWriter written = spool();
    times.take(kLongNs, false, written);
    grow();
    times.take(kLongNs + MemoryTimes::kShortestStepNs - 1, false, written);
    ASSERT_TRUE(written.store());
    EXPECT_EQ(rows().size(), 1U);
    times.take(kLongNs + MemoryTimes::kShortestStepNs, false, written);
    ASSERT_TRUE(written.store());
    EXPECT_EQ(rows().size(), 2U);
    grow();
    times.take(1000 * kLongNs, false, written);
    grow();
    times.take(1000 * kLongNs + MemoryTimes::kLongestStepNs - 1, false, written);
    ASSERT_TRUE(written.store());
    EXPECT_EQ(rows().size(), 3U);
    times.take(1000 * kLongNs + MemoryTimes::kLongestStepNs, false, written);
    ASSERT_TRUE(written.store());
  }
  EXPECT_EQ(rows().size(), 4U);
}

TEST_F(Memory, HasItsLastReadingAfterTheProcessHasEnded) {
  Child program = start();
  {
    MemoryTimes times{program.pid(), ClockKind::monotonic_raw};
    SampleSpoolWriter written = spool();
    times.take(kLongNs, false, written);
    times.take(2 * kLongNs, false, written);
    program.send(SIGKILL);
    program.wait();
    times.take(3 * kLongNs, true, written);
    ASSERT_TRUE(written.store());
  }
  EXPECT_EQ(rows().size(), 2U);
}

TEST_F(Memory, IsReadWithoutSamplesUntilTheEndOfMpiFinalize) {
  const Child program = start();
  RingFile traced = open();
  Sampler sampler{traced};
  EXPECT_TRUE(sampler.is_on());
  sampler.run();
  grow();
  made.header().run_state.store(RunState::finalized);
  sampler.run();
  EXPECT_FALSE(sampler.is_on());
  grow();
  sampler.settle();
  const std::vector<MemoryRow> read = rows();
  ASSERT_EQ(read.size(), 2U);
  EXPECT_NEAR(static_cast<double>(read[1].resident_bytes - read[0].resident_bytes), kStep, kInexact);
}

TEST_F(Memory, HasNoRowsIfTheClockOfTheRingCannotBeRead) {
  made.header().clock = ClockKind::warped;
  const Child program = start();
  RingFile traced = open();
  Sampler sampler{traced};
  sampler.run();
  EXPECT_FALSE(sampler.is_on());
  EXPECT_TRUE(rows().empty());
}

}  // namespace
}  // namespace meridian
