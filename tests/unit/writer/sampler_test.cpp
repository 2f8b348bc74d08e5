// SPDX-License-Identifier: Apache-2.0
// Samples of another process by the kernel, and kernels that permit none.

#include "writer/samples/sampler.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "child.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/rank/processor_table.hpp"
#include "trace/format/rank/sample_table.hpp"
#include "trace/model/sample_keys.hpp"
#include "trace/records/finish/finish_rank.hpp"

namespace meridian {
namespace {

using namespace test;

volatile std::uint64_t g_sink = 0;

// Not instrumented: samples would be in the sanitizer's functions.
__attribute__((noinline, no_sanitize("thread"))) void compute_for_good() {
  for (std::uint64_t i = 0;; ++i) g_sink = g_sink + i;
}

class Samples : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(out);
    made.set_output(out, 2);
    made.header().sample_hz = 1000;
    made.header().clock = ClockKind::monotonic_raw;
  }
  RingFile open() { return *RingFile::open(made.path(), RingFile::Access::drain); }
  /// A program that computes in one thread.
  Child start() {
    return start_program(made, [this] {
      made.slot(0).kernel_tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
      TestProducer producer{made, 0};
      producer.put(thread_record(0, 1));
      compute_for_good();
    });
  }
  /// Takes samples until there are some, or the kernel refuses.
  void sample(Sampler& sampler) {
    for (int rounds = 0; rounds < 50 && sampler.takes_samples(); ++rounds) {
      sampler.run();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    sampler.settle();
  }
  /// Makes the rank file; the value of one of its texts.
  std::string text(const std::string& key) {
    const RingFile ring = open();
    const auto finished = finish_rank(ring, pieces_of(made.path(), out, 2), out);
    EXPECT_TRUE(finished) << finished.error().what;
    auto file = RankFile::open(out / "rank-00002.h5");
    EXPECT_TRUE(file) << file.error().what;
    for (const TextRow& row : file->meta().texts)
      if (row.key == key) return row.value;
    return "";
  }
  Result<ProcessorTable> intervals() { return ProcessorTable::open(out / "rank-00002.h5", ""); }
  Result<SampleTable> table() { return SampleTable::open(out / "rank-00002.h5", ""); }

  TempDir dir;
  std::filesystem::path out = dir / "out";
  TestRing made{dir / "a.ring", {}};
};

int refuse(std::int32_t, std::uint64_t, clockid_t) {
  errno = EACCES;
  return -1;
}

TEST_F(Samples, AreWhereTheProgramComputesWithThreadAndTime) {
  const Descriptor trial{ThreadEvent::open_event(::getpid(), 1'000'000, CLOCK_MONOTONIC)};
  if (!trial) GTEST_SKIP() << "the kernel permits no samples here";
  const Child program = start();
  RingFile ring = open();
  Sampler sampler{ring};
  ASSERT_TRUE(sampler.takes_samples());
  sample(sampler);
  EXPECT_FALSE(text(kSamplesProcessorKey).empty());
  auto samples = table();
  ASSERT_TRUE(samples) << samples.error().what;
  ASSERT_GT(samples->size(), 20U);
  const auto rows = samples->next();
  ASSERT_TRUE(rows) << rows.error().what;
  const auto code = reinterpret_cast<std::uint64_t>(&compute_for_good);
  std::size_t inside = 0;
  std::uint64_t latest = 0;
  for (const SampleRow& row : *rows) {
    EXPECT_EQ(row.thread, 0U);
    EXPECT_GE(row.ticks, latest);
    latest = row.ticks;
    const std::uint64_t address = samples->stacks()[row.stack].address;
    inside += address > code && address < code + 256 ? 1 : 0;
  }
  EXPECT_GT(inside, rows->size() * 9 / 10);
}

TEST_F(Samples, ThatTheKernelRefusesAreNamedAndTheRestIsThere) {
  const Child program = start();
  RingFile ring = open();
  Sampler sampler{ring, &refuse};
  sample(sampler);
  EXPECT_FALSE(sampler.takes_samples());
  EXPECT_TRUE(text(kSamplesRefusedKey).starts_with("EACCES"));
  const auto samples = table();
  ASSERT_TRUE(samples) << samples.error().what;
  EXPECT_EQ(samples->size(), 0U);
}

int refuse_switches(std::int32_t, clockid_t) {
  errno = ENOSYS;
  return -1;
}

TEST_F(Samples, AreTakenAlthoughTheKernelSaysNotWhenThreadsHaveNoProcessor) {
  const Descriptor trial{ThreadEvent::open_event(::getpid(), 1'000'000, CLOCK_MONOTONIC)};
  if (!trial) GTEST_SKIP() << "the kernel permits no samples here";
  const Child program = start();
  RingFile ring = open();
  Sampler sampler{ring, &ThreadEvent::open_event, &refuse_switches};
  sample(sampler);
  EXPECT_EQ(text(kProcessorRefusedKey), "ENOSYS");
  EXPECT_EQ(text(kSamplesRefusedKey), "");
  EXPECT_GT(table()->size(), 20U);
  auto sums = intervals();  // of rounds: there are no single intervals
  ASSERT_TRUE(sums) << sums.error().what;
  const auto rows = sums->next();
  ASSERT_TRUE(rows) << rows.error().what;
  for (const ProcessorRow& row : *rows) EXPECT_TRUE(row.is_ready);
}

/// Every other interval without a processor begins ready, or asleep.
__attribute__((no_sanitize("thread"))) void compute_and_sleep() {
  for (std::uint64_t i = 0;; ++i) {
    g_sink = g_sink + i;
    if (i % 100'000 == 0) ::usleep(1000);
  }
}

TEST_F(Samples, HaveTheIntervalsInWhichTheThreadHadNoProcessor) {
  const Descriptor trial{SwitchEvent::open_event(::getpid(), CLOCK_MONOTONIC)};
  if (!trial) GTEST_SKIP() << "the kernel does not say here when threads have a processor";
  made.header().sample_hz = 100;
  const Child sleeper = start_program(made, [this] {
    made.slot(0).kernel_tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
    TestProducer producer{made, 0};
    producer.put(thread_record(0, 1));
    compute_and_sleep();
  });
  RingFile ring = open();
  Sampler sampler{ring};
  sample(sampler);
  EXPECT_EQ(text(kProcessorRefusedKey), "");
  auto table = intervals();
  ASSERT_TRUE(table) << table.error().what;
  ASSERT_GT(table->size(), 20U);
  const auto rows = table->next();
  ASSERT_TRUE(rows) << rows.error().what;
  std::size_t sleeps = 0;
  std::uint64_t latest = 0, latest_sleep = 0;
  for (const ProcessorRow& row : *rows) {
    EXPECT_EQ(row.thread, 0U);
    EXPECT_GE(row.ticks, latest);
    latest = row.ticks;
    if (row.is_ready || row.count > 1) continue;
    EXPECT_GE(row.ticks - row.length, latest_sleep);
    latest_sleep = row.ticks;
    sleeps += row.length >= 1'000'000 ? 1 : 0;
  }
  EXPECT_GT(sleeps, 10U);
}

__attribute__((no_sanitize("thread"))) void compute_and_yield() {
  for (std::uint64_t i = 0;; ++i) {
    g_sink = g_sink + i;
    if (i % 10'000 == 0) ::sched_yield();
  }
}

/// Two threads on one processor that yield to each other after some ten microseconds.
void yield_for_good(const std::function<void()>& begun) {
  cpu_set_t one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof one, &one), 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &one)) ++processor;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  std::thread other{&compute_and_yield};
  begun();
  compute_and_yield();
}

TEST_F(Samples, HaveTheTimeThatThreadsHadNoProcessorThoughTheyAreSwitchedTooOftenToBeWatched) {
  const Descriptor trial{SwitchEvent::open_event(::getpid(), CLOCK_MONOTONIC)};
  if (!trial || !schedule_counts(::getpid(), static_cast<std::int32_t>(::syscall(SYS_gettid))))
    GTEST_SKIP() << "the kernel does not say here when threads have a processor";
  made.header().sample_hz = 100;
  const Child program = start_program(made, [this] {
    yield_for_good([this] {
      made.slot(0).kernel_tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
      TestProducer producer{made, 0};
      producer.put(thread_record(0, 1));
    });
  });
  ASSERT_TRUE(eventually([this] { return made.slot(0).head.load() > 0; }));
  RingFile ring = open();
  Sampler sampler{ring};
  sampler.run();  // the thread is known from here on
  const std::int32_t pid = ring.header().pid, kernel_tid = made.slot(0).kernel_tid;
  const auto before = schedule_counts(pid, kernel_tid);
  ASSERT_TRUE(before);
  const auto begin = std::chrono::steady_clock::now();
  const auto has_lasted = [&](int seconds) {
    return std::chrono::steady_clock::now() - begin > std::chrono::seconds{seconds};
  };
  const auto is_enough = [&] {
    return schedule_counts(pid, kernel_tid)->switches - before->switches > 15 * SwitchBudget::kMost;
  };
  while (!has_lasted(3) || (!is_enough() && !has_lasted(30))) {  // other programs may use the same processor
    std::this_thread::sleep_for(std::chrono::nanoseconds{sampler.nap_ns()});
    sampler.run();
  }
  sampler.settle();
  const auto after = schedule_counts(pid, kernel_tid);
  ASSERT_TRUE(after);
  ASSERT_GT(after->switches - before->switches, 15 * SwitchBudget::kMost);
  EXPECT_NE(text(kSamplesProcessorKey), "");
  auto table = intervals();
  ASSERT_TRUE(table) << table.error().what;
  std::uint64_t ready_ns = 0, count = 0;
  for (bool is_over = false; !is_over;) {
    const auto rows = table->next();
    ASSERT_TRUE(rows) << rows.error().what;
    for (const ProcessorRow& row : *rows)
      if (row.is_ready) ready_ns += row.length - row.ran, count += row.count;  // ticks of CLOCK_MONOTONIC_RAW
    is_over = rows->empty();
  }
  const double counted = static_cast<double>(after->ready_ns - before->ready_ns);
  // Without the kernel's counts it would be a tenth. On a busy machine some switches of the watched moments are lost.
  EXPECT_NEAR(static_cast<double>(ready_ns) / counted, 1, 0.25);
  EXPECT_NEAR(static_cast<double>(count) / static_cast<double>(after->switches - before->switches), 1, 0.5);
  // Samples stand for all of the processor time: as many as of a thread that is watched, closer to one another.
  const double wanted = static_cast<double>(after->ran_ns - before->ran_ns) * 100 / 1e9;
  auto samples = this->table();
  ASSERT_TRUE(samples) << samples.error().what;
  // On a busy machine the threads have little time: then chance has a share in it.
  EXPECT_GT(static_cast<double>(samples->size()), wanted / 4 - 2 * std::sqrt(wanted));
  EXPECT_LT(static_cast<double>(samples->size()), wanted * 2 + 4 * std::sqrt(wanted));
}

TEST_F(Samples, AreNotTakenIfNoneAreWanted) {
  made.header().sample_hz = 0;
  const Child program = start();
  RingFile ring = open();
  Sampler sampler{ring};
  EXPECT_FALSE(sampler.takes_samples());
  sampler.run();
  sampler.settle();
  EXPECT_EQ(text(kSamplesRefusedKey), "");
  EXPECT_EQ(table()->size(), 0U);
  EXPECT_EQ(intervals()->size(), 0U);
}

TEST_F(Samples, OfAnyRateAreFetchedWhenTheKernelsBufferHasAFewOfThem) {
  for (const auto& [rate, nap_ns] : {std::pair{100U, 100'000'000U}, {500U, 30'000'000U}, {1000U, 15'000'000U}}) {
    made.header().sample_hz = rate;
    RingFile ring = open();
    Sampler sampler{ring};
    EXPECT_EQ(sampler.nap_ns(), 10'000'000U);  // until there is an output directory
    sampler.run();
    for (int rounds = 0; rounds < 8; ++rounds) {  // the first ones are short
      EXPECT_LE(sampler.nap_ns(), nap_ns) << rate;
      std::this_thread::sleep_for(std::chrono::nanoseconds{sampler.nap_ns()});
      sampler.run();
    }
    EXPECT_EQ(sampler.nap_ns(), nap_ns) << rate;
    std::filesystem::remove(samples_in_output(out, 2));
  }
}

TEST_F(Samples, BeginWithTheOutputDirectory) {
  made.header().world_rank.store(-1);
  RingFile ring = open();
  Sampler sampler{ring};
  sampler.run();
  EXPECT_TRUE(sampler.takes_samples());
  EXPECT_FALSE(std::filesystem::exists(samples_in_output(out, 2)));
}

}  // namespace
}  // namespace meridian
