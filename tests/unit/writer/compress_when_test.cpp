// SPDX-License-Identifier: Apache-2.0
// When a writer converts what it has drained.

#include <gtest/gtest.h>

#include "compressing_rank.hpp"

namespace meridian {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// Stores calls and converts them, as a writer does, with a limit of 32 MiB for a spool.
class CompressLater : public CompressingRank {
 protected:
  static constexpr std::uint64_t kMiB = 1 << 20, kLimit = 16 * kMiB, kMomentNs = 4'000'000'000;

  void SetUp() override {
    CompressingRank::SetUp();
    if (IsSkipped()) return;
    made.header().spool_bytes = 2 * kLimit;
    idle = false;
    ring.emplace(open());
    compressor.emplace(*ring, &is_idle);
    drained.emplace(*ring);
    producer.put(thread_record(0, 1));
  }
  /// Until the spool has this many bytes; nothing is converted meanwhile.
  void fill(std::uint64_t bytes) {
    do {
      for (int i = 0; i < 1000; ++i) producer.put(known_call(stored++));
      const Status done = drained->run();
      ASSERT_TRUE(done) << done.error().what;
    } while (drained->spool()->bytes() < bytes);
  }
  bool run(std::uint64_t now_ns = 0) { return compressor->run(*drained->spool(), now_ns); }
  std::uint64_t checkpoints() { return made.header().compressions.load(); }
  void expect_stored() {
    const FinishedRank finished = finish(*ring);
    EXPECT_EQ(finished.events, stored);
    EXPECT_EQ(finished.damaged, 0u);
    RankFile file = result();
    EXPECT_EQ(count_known_calls(file, 0), stored);
  }

  static inline bool idle = false;
  static bool is_idle() noexcept { return idle; }
  std::optional<RingFile> ring;
  TestProducer producer{made, 0};
  std::uint64_t stored = 0;
};

TEST_F(CompressLater, ConvertsNothingBelowTheLimitWhileAllProcessorsAreBusy) {
  fill(kLimit - kMiB);
  EXPECT_FALSE(run());
  EXPECT_FALSE(fs::exists(pieces().chunks));
  compressor->settle(*drained->spool());
  EXPECT_EQ(checkpoints(), 0u);
  expect_stored();
}

TEST_F(CompressLater, ConvertsTheWholeSpoolByPartsOnceItIsAtItsLimitAndUsesTheFileAgain) {
  for (const std::uint64_t round : {1u, 2u}) {
    fill(kLimit);
    int parts = 0;
    for (; checkpoints() < round; ++parts) ASSERT_TRUE(run());
    EXPECT_GE(parts, 16);
    EXPECT_EQ(checkpoints(), round);
    EXPECT_EQ(drained->spool()->bytes(), 0u);
    EXPECT_FALSE(run());
  }
  EXPECT_LT(fs::file_size(spool()), kLimit + 2 * kMiB);
  expect_stored();
}

TEST_F(CompressLater, ConvertsWhatIsStoredMeanwhile) {
  fill(kLimit);
  ASSERT_TRUE(run());
  fill(kLimit + 2 * kMiB);
  while (run()) continue;
  EXPECT_EQ(checkpoints(), 1u);
  EXPECT_EQ(drained->spool()->bytes(), 0u);
  expect_stored();
}

TEST_F(CompressLater, ConvertsAllAtOnceBeyondTwiceTheLimit) {
  EXPECT_EQ(compressor->most_bytes(), 2 * kLimit);
  fill(2 * kLimit);
  EXPECT_TRUE(run());
  EXPECT_EQ(checkpoints(), 1u);
  expect_stored();
}

TEST_F(CompressLater, ConvertsFourMegabytesWhenAProcessorIsIdleAndPausesWhenNoneIs) {
  idle = true;
  fill(3 * kMiB);
  EXPECT_FALSE(run());
  fill(4 * kMiB);
  ASSERT_TRUE(run());
  idle = false;
  EXPECT_FALSE(run());
  EXPECT_EQ(checkpoints(), 0u);
  idle = true;
  EXPECT_FALSE(run(10'000'000)) << "looks at processors 50 times a second";
  while (run(20'000'000)) continue;
  EXPECT_EQ(checkpoints(), 1u);
  expect_stored();
}

TEST_F(CompressLater, ConvertsHalfOfTheLimitAtTheMomentThatAllWritersOfAHostHave) {
  fill(kLimit / 2 - kMiB);
  EXPECT_FALSE(run(6 * kMomentNs));
  fill(kLimit / 2);
  EXPECT_FALSE(run(7 * kMomentNs - 1));
  EXPECT_TRUE(run(7 * kMomentNs));
  while (run(7 * kMomentNs + 1)) continue;
  EXPECT_EQ(checkpoints(), 1u);
  expect_stored();
}

TEST_F(CompressLater, SettlesWhatIsHalfConverted) {
  fill(kLimit);
  ASSERT_TRUE(run());
  compressor->settle(*drained->spool());
  EXPECT_EQ(checkpoints(), 1u);
  EXPECT_EQ(drained->spool()->bytes(), 0u);
  compressor->settle(*drained->spool());  // there is nothing that is not in the last checkpoint
  EXPECT_EQ(checkpoints(), 1u);
  fill(1);
  compressor->settle(*drained->spool());
  EXPECT_EQ(checkpoints(), 2u);
  expect_stored();
}

}  // namespace
}  // namespace meridian
