// SPDX-License-Identifier: Apache-2.0
// The writer as the process that it is, in a long run: it compresses what it has drained, and may be killed at it.

#include <algorithm>
#include <atomic>
#include <new>
#include <random>
#include <thread>

#include "child.hpp"
#include "known_calls.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/chunks/chunk_codec.hpp"
#include "writer/recover.hpp"

namespace meridian {
namespace {

using namespace test;

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  return names;
}

class CompressingWriter : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_own_deflate()) GTEST_SKIP() << "without libdeflate nothing is compressed during a run";
    std::filesystem::create_directory(out);
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stored = new (page) std::atomic<std::uint64_t>[2] {};
  }
  void TearDown() override {
    if (stored != nullptr) ::munmap(stored, 4096);
  }

  RankFile result() {
    auto file = RankFile::open(out / "rank-00002.h5");
    EXPECT_TRUE(file) << file.error().what;
    return *std::move(file);
  }
  // In the program: known calls without end in one slot, with the number of complete ones on the side.
  void put_calls(TestRing& ring, std::uint32_t slot) {
    TestProducer producer{ring, slot};
    producer.put(thread_record(slot, 1));
    for (std::uint64_t i = 0;; ++i) {
      producer.put(known_call(i));
      stored[slot].store(i + 1, std::memory_order_release);
    }
  }
  // Every complete record is there, in order; the one that was being completed may be.
  void expect_stored(RankFile& file, std::uint32_t slot) {
    const std::uint64_t known = stored[slot].load(), kept = count_known_calls(file, slot);
    EXPECT_GE(kept, known) << "slot " << slot;
    EXPECT_LE(kept, known + 1) << "slot " << slot;
  }

  TempDir dir;
  std::filesystem::path out = dir / "out";
  std::atomic<std::uint64_t>* stored = nullptr;  // shared with the program: complete records of each slot
};

TEST_F(CompressingWriter, CompressesDrainedRecordsWhileTheProgramRuns) {
  TestRing made{dir / "a.ring", {.slots = 2, .ring_bytes = 65536, .block_bytes = 8192}};
  made.header().spool_bytes = 256 * 1024;
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    std::thread other{[&] { put_calls(made, 1); }};
    put_calls(made, 0);
  });
  auto writer = start_writer(made);
  std::uintmax_t most = 0;
  ASSERT_TRUE(eventually([&] {
    std::error_code gone;
    const auto bytes = std::filesystem::file_size(out / "rank-00002.spool", gone);
    if (!gone) most = std::max(most, bytes);
    return made.header().compressions.load() >= 10 && stored[1].load() > 0;
  }));
  EXPECT_GT(made.header().compressed_bytes.load(), 0u);
  EXPECT_LT(most, 256u * 1024);  // half of it, and what is drained at once
  program.send(SIGKILL);
  EXPECT_EQ(writer.wait(), 0);
  program.wait();
  RankFile file = result();
  for (const std::uint32_t slot : {0u, 1u}) expect_stored(file, slot);
  EXPECT_EQ(file.meta().losses, RankMeta{}.losses);
  EXPECT_EQ(names_in(out), std::vector<std::string>{"rank-00002.h5"});
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{"out"});
}

TEST_F(CompressingWriter, ThatIsKilledWhileItCompressesLeavesEverythingToTheMerger) {
  std::mt19937_64 random{test::seeded(1)};
  for (int round = 0; round < 10; ++round) {
    TestRing ring{dir / (std::to_string(round) + ".ring"), {.slots = 1, .ring_bytes = 65536, .block_bytes = 8192}};
    ring.header().spool_bytes = 128 * 1024;
    stored[0].store(0);
    auto program = start_program(ring, [&] {
      ring.set_output(out, 2);
      put_calls(ring, 0);
    });
    auto writer = start_writer(ring);
    const std::uint64_t compressions = 1 + random() % 5;
    ASSERT_TRUE(eventually([&] { return ring.header().compressions.load() >= compressions; }));
    ::usleep(static_cast<useconds_t>(random() % 20'000));  // anywhere in the next one
    writer.send(SIGKILL);
    writer.wait();
    program.send(SIGKILL);
    program.wait();
    const auto recovered = recover_rank(out / "rank-00002.ring", out);
    ASSERT_TRUE(recovered) << recovered.error().what;
    EXPECT_EQ(recovered->outcome, Recovery::finished);
    EXPECT_EQ(recovered->damaged, 0u);
    RankFile file = result();
    expect_stored(file, 0);
    EXPECT_FALSE(std::filesystem::exists(ring.path()));
    EXPECT_EQ(names_in(out), std::vector<std::string>{"rank-00002.h5"});
  }
}

}  // namespace
}  // namespace meridian
