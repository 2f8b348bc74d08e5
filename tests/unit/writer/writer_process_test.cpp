// SPDX-License-Identifier: Apache-2.0
// The writer as the process that it is, with real programs that live, end and are killed.

#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <new>
#include <random>

#include "child.hpp"
#include "known_calls.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"
#include "writer/recover.hpp"

namespace meridian {
namespace {

using namespace test;

class Writer : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(out);
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stored = new (page) std::atomic<std::uint64_t>[2] {};
  }
  void TearDown() override { ::munmap(stored, 4096); }

  RankFile result() {
    auto file = RankFile::open(out / "rank-00002.h5");
    EXPECT_TRUE(file) << file.error().what;
    return *std::move(file);
  }
  // In the program: known calls from `first` to `last` in one slot, with the number of complete ones on the side.
  void put_calls(std::uint32_t slot, std::uint64_t first, std::uint64_t last) {
    TestProducer producer{made, slot};
    if (first == 0) producer.put(thread_record(slot, 1));
    for (std::uint64_t i = first; i < last; ++i) {
      producer.put(known_call(i));
      stored[slot].store(i + 1, std::memory_order_release);
    }
  }
  void expect_only_the_rank_file() {
    EXPECT_FALSE(std::filesystem::exists(made.path()));
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(out)) names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"rank-00002.h5"});
    names.clear();
    for (const auto& entry : std::filesystem::directory_iterator(dir.path())) names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"out"});
  }
  // Every complete record is there, in order; the one that was being completed may be.
  void expect_all_stored(RankFile& file) {
    for (const std::uint32_t slot : {0u, 1u}) {
      const std::uint64_t known = stored[slot].load();
      const std::uint64_t kept = count_known_calls(file, slot);
      EXPECT_GE(kept, known) << "slot " << slot;
      EXPECT_LE(kept, known + 1) << "slot " << slot;
    }
    EXPECT_EQ(file.meta().losses, RankMeta{}.losses);
  }

  TempDir dir;
  std::filesystem::path out = dir / "out";
  TestRing made{dir / "a.ring", {.slots = 2, .ring_bytes = 65536, .block_bytes = 8192}};
  std::atomic<std::uint64_t>* stored = nullptr;  // shared with the program: complete records of each slot
};

TEST_F(Writer, MakesTheRankFileOfAProgramThatEnds) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 5000);
    put_calls(1, 0, 3000);
    made.finish();
  });
  auto writer = start_writer(made);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(writer.wait(), 0);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 5000u);
  EXPECT_EQ(count_known_calls(file, 1), 3000u);
  expect_only_the_rank_file();
}

TEST_F(Writer, AnswersARequestWhileTheProgramRuns) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 4000);
    made.finish();
    stored[1].store(1);
    sleep_for_good();
  });
  auto writer = start_writer(made);
  ASSERT_TRUE(eventually([&] { return stored[1].load() == 1; }));
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 4000u);
  EXPECT_TRUE(std::filesystem::exists(made.path()));
  program.send(SIGKILL);
  EXPECT_EQ(writer.wait(), 0);
  expect_only_the_rank_file();
}

TEST_F(Writer, MakesTheFileAgainWhenRecordsCameAfterIt) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 1000);
    made.finish();
    auto first = RankFile::open(out / "rank-00002.h5");
    stored[1].store(first ? count_known_calls(*first, 0) : 0);
    put_calls(0, 1000, 1007);
  });
  auto writer = start_writer(made);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(stored[1].load(), 1000u);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 1007u);
  expect_only_the_rank_file();
}

TEST_F(Writer, DoesNotChangeTheFileIfNoRecordsCameAfterIt) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 1000);
    made.finish();
    std::filesystem::last_write_time(out / "rank-00002.h5", {});
  });
  auto writer = start_writer(made);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(std::filesystem::last_write_time(out / "rank-00002.h5"), std::filesystem::file_time_type{});
  expect_only_the_rank_file();
}

TEST_F(Writer, HasEveryCompleteRecordOfAProgramThatIsKilledAtAnyMoment) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    std::thread other{[&] { put_calls(1, 0, ~0ull); }};
    put_calls(0, 0, ~0ull);
  });
  auto writer = start_writer(made);
  std::mt19937_64 random{test::seeded(1)};
  ASSERT_TRUE(eventually([&] { return stored[0].load() > 100 + random() % 200'000; }));
  program.send(SIGKILL);
  EXPECT_EQ(writer.wait(), 0);
  program.wait();
  RankFile file = result();
  expect_all_stored(file);
  EXPECT_FALSE(file.meta().is_finalized);
  expect_only_the_rank_file();
}

TEST_F(Writer, ThatIsKilledTooLeavesEverythingToTheMerger) {
  for (int round = 0; round < 5; ++round) {
    TestRing ring{dir / (std::to_string(round) + ".ring"), {.slots = 2, .ring_bytes = 65536, .block_bytes = 8192}};
    stored[0].store(0);
    auto program = start_program(ring, [&] {
      ring.set_output(out, 2);
      TestProducer producer{ring, 0};
      producer.put(thread_record(0, 1));
      for (std::uint64_t i = 0;; ++i) {
        producer.put(known_call(i));
        stored[0].store(i + 1);
      }
    });
    auto writer = start_writer(ring);
    std::mt19937_64 random{test::seeded(static_cast<std::uint64_t>(round) + 1)};
    ASSERT_TRUE(eventually([&] { return stored[0].load() > random() % 100'000; }));
    const auto waiting = recover_rank(out / "rank-00002.ring", out);
    ASSERT_TRUE(waiting) << waiting.error().what;
    EXPECT_EQ(waiting->outcome, Recovery::still_running);
    writer.send(SIGKILL);
    writer.wait();
    program.send(SIGKILL);
    program.wait();
    const auto recovered = recover_rank(out / "rank-00002.ring", out);
    ASSERT_TRUE(recovered) << recovered.error().what;
    EXPECT_EQ(recovered->outcome, Recovery::finished);
    EXPECT_EQ(recovered->rank, 2);
    RankFile file = result();
    const std::uint64_t known = stored[0].load(), kept = count_known_calls(file, 0);
    EXPECT_GE(kept, known);
    EXPECT_LE(kept, known + 1);
    EXPECT_FALSE(std::filesystem::exists(ring.path()));
    EXPECT_FALSE(std::filesystem::exists(out / "rank-00002.spool"));
    EXPECT_FALSE(std::filesystem::exists(out / "rank-00002.ring"));
  }
}

TEST_F(Writer, HasTheCallInProgressOfAKilledProgram) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 10);
    TestProducer{made, 0}.put_under_way(
        record(CallId::Recv, Payload::p2p, 5000, 0, {}, 0, PointToPoint{0xc0, 3, 7, 1, 0, 0, 0}));
    stored[1].store(1);
    sleep_for_good();
  });
  auto writer = start_writer(made);
  ASSERT_TRUE(eventually([&] { return stored[1].load() == 1; }));
  program.send(SIGKILL);
  EXPECT_EQ(writer.wait(), 0);
  RankFile file = result();
  EventBatch batch;
  ASSERT_TRUE(file.read(0, batch));
  ASSERT_EQ(batch.call.size(), 11u);
  EXPECT_EQ(batch.call.back(), CallId::Recv);
  EXPECT_EQ(batch.flags.back(), kFlagUnfinished);
  EXPECT_EQ(batch.p2p.back().peer, 3);
}

TEST_F(Writer, IgnoresTheSignalsThatLaunchersSend) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 100);
    stored[1].store(1);
    sleep_for_good();
  });
  auto writer = start_writer(made);
  ASSERT_TRUE(eventually([&] { return made.header().writer_state.load() == WriterState::draining; }));
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) writer.send(signal);
  ASSERT_TRUE(eventually([&] { return stored[1].load() == 1; }));
  program.send(SIGTERM);
  EXPECT_EQ(writer.wait(), 0);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 100u);
}

TEST_F(Writer, SleepsWhileNothingHappens) {
  auto program = start_program(made, [&] { sleep_for_good(); });
  auto writer = start_writer(made);
  ASSERT_TRUE(eventually([&] { return made.header().writer_asleep.load() == 1; }));
  const auto switches = [&] {
    std::uint64_t sum = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(writer.pid()) + "/task")) {
      std::ifstream in{task.path() / "status"};
      for (std::string word; in >> word;)
        if (word.ends_with("ctxt_switches:")) {
          in >> word;
          sum += std::stoull(word);
        }
    }
    return sum;
  };
  ::usleep(50'000);  // the watching thread may still be on its way to its poll()
  const auto before = switches();
  ::usleep(500'000);
  EXPECT_EQ(switches(), before);
}

TEST_F(Writer, EndsWhenTheProgramAnnouncesThatItStoresNoMore) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 100);
    made.header().run_state.store(RunState::ended);
    made.wake();
    sleep_for_good();
  });
  auto writer = start_writer(made);
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(made.header().writer_state.load(), WriterState::left);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 100u);
  expect_only_the_rank_file();
}

TEST_F(Writer, WaitsForACallThatIsUnderWayWhenTheProgramEnds) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 100);
    TestProducer{made, 0}.put_under_way(known_call(100));
    made.header().run_state.store(RunState::ended);
    made.wake();
    while (made.header().writer_asleep.load() == 0) ::usleep(1000);
    put_calls(0, 100, 101);
  });
  auto writer = start_writer(made);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(writer.wait(), 0);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 101u);
}

TEST_F(Writer, RemovesTheRingOfAProgramThatNeverHadAnOutputDirectory) {
  auto program = start_program(made, [&] { put_calls(0, 0, 10); });
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(start_writer(made).wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(made.path()));
  EXPECT_TRUE(std::filesystem::is_empty(out));
}

TEST_F(Writer, RemovesTheRingOfAProgramThatEndedInMpiInit) {
  auto program = start_program(made, [&] {
    put_calls(0, 0, 0);
    TestProducer{made, 0}.put_under_way(record(CallId::Init, Payload::local, 5000, 0, {}, 0));
  });
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(start_writer(made).wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(made.path()));
}

TEST_F(Writer, RemovesTheRingOfAProgramThatStoredNoCall) {
  auto program = start_program(made, [&] { put_calls(0, 0, 0); });
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(start_writer(made).wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(made.path()));
}

TEST_F(Writer, KeepsEverythingWhenTheOutputDirectoryIsGone) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 100);
    stored[1].store(1);
    sleep_for_good();
  });
  ASSERT_TRUE(eventually([&] { return stored[1].load() == 1; }));
  std::filesystem::remove_all(out);
  auto writer = start_writer(made);
  program.send(SIGKILL);
  EXPECT_EQ(writer.wait(), 1);
  EXPECT_EQ(made.header().writer_state.load(), WriterState::failed);
  program.wait();
  std::filesystem::create_directory(out);
  const auto recovered = recover_rank(made.path(), out);
  ASSERT_TRUE(recovered) << recovered.error().what;
  EXPECT_EQ(recovered->events, 100u);
}

TEST_F(Writer, ReportsAFullDiskAndLosesNothing) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    TestProducer producer{made, 0};
    producer.put(thread_record(0, 1));
    for (std::uint64_t i = 0; made.header().writer_state.load() != WriterState::failed; ++i) {
      producer.put(known_call(i));
      stored[0].store(i + 1);
      if (made.slot(0).head - made.slot(0).tail > 50'000) {  // as a program does that does not wait
        made.wake();
        while (made.slot(0).head - made.slot(0).tail > 40'000 &&
               made.header().writer_state.load() != WriterState::failed)
          ::usleep(100);
      }
    }
  });
  auto writer = start_writer(made);
  const rlimit small{.rlim_cur = 300'000, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(writer.pid(), RLIMIT_FSIZE, &small, nullptr), 0);
  EXPECT_EQ(program.wait(), 0);
  ASSERT_TRUE(eventually([&] { return made.header().writer_state.load() == WriterState::failed; }));
  const rlimit large{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  ::prlimit(writer.pid(), RLIMIT_FSIZE, &large, nullptr);
  writer.wait();  // whether it still could make the file depends on when there was room again
  if (std::filesystem::exists(made.path())) {
    const auto recovered = recover_rank(out / "rank-00002.ring", out);
    ASSERT_TRUE(recovered) << recovered.error().what;
    EXPECT_EQ(recovered->outcome, Recovery::finished);
  }
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), stored[0].load());
  EXPECT_GT(stored[0].load(), 1000u);
}

TEST_F(Writer, RunsOncePerRing) {
  auto program = start_program(made, [&] { sleep_for_good(); });
  auto first = start_writer(made);
  ASSERT_TRUE(eventually([&] { return made.header().writer_state.load() == WriterState::draining; }));
  EXPECT_EQ(start_writer(made).wait(), 1);
  EXPECT_EQ(made.header().writer_pid.load(), first.pid());
}

TEST_F(Writer, SurvivesAHostileHeader) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    put_calls(0, 0, 50);
    while (made.header().writer_state.load() != WriterState::draining) ::usleep(1000);
    made.header().ring_bytes = ~0ull;
    made.header().slot_count = ~0u;
    made.slot(1).head.store(1ull << 60);
    made.slot(1).state.store(SlotState::active);
    made.header().clock = static_cast<ClockKind>(999);
    std::memset(made.header().executable, 'x', kPathBytes);
    std::memset(made.header().hostname, 'y', kNameBytes);
    stored[1].store(1);
    sleep_for_good();
  });
  auto writer = start_writer(made);
  ASSERT_TRUE(eventually([&] { return stored[1].load() == 1; }));
  made.wake();
  program.send(SIGKILL);
  EXPECT_EQ(writer.wait(), 0);
  RankFile file = result();
  EXPECT_EQ(count_known_calls(file, 0), 50u);
  EXPECT_EQ(file.meta().losses[static_cast<std::size_t>(Loss::damaged)], 1u);
}

}  // namespace
}  // namespace meridian
