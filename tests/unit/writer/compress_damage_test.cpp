// SPDX-License-Identifier: Apache-2.0
// Damaged, foreign or incomplete files of the compression during the run.

#include <gtest/gtest.h>

#include <random>

#include "compressing_rank.hpp"
#include "tests/support/seed.hpp"
#include "trace/records/finish/rank_checkpoint.hpp"
#include "writer/recover.hpp"

namespace meridian {
namespace {

using namespace test;
namespace fs = std::filesystem;

class CompressDamage : public CompressingRank {};

TEST_F(CompressDamage, ReportsMissingOrDamagedPieces) {
  auto ring = open();
  store(ring, 40'000, 10'000);
  const auto checkpoint = bytes_of(pieces().checkpoint), chunks = bytes_of(pieces().chunks);
  ASSERT_GT(chunks.size(), 1000u);
  const auto fails_with = [&](Errc code, const std::string& words) {
    const auto finished = finish_rank(ring, pieces(), out);
    ASSERT_FALSE(finished) << words;
    EXPECT_EQ(finished.error().code, code) << finished.error().what;
    EXPECT_NE(finished.error().what.find(words), std::string::npos) << finished.error().what;
    EXPECT_FALSE(fs::exists(out / "rank-00005.h5"));
    EXPECT_FALSE(fs::exists(out / "rank-00005.h5.part"));
  };
  fs::remove(pieces().checkpoint);
  fails_with(Errc::damaged, "has compressed what was recorded " + std::to_string(conversions) + " times, but '" +
                                pieces().checkpoint.string() + "' is missing or older");
  auto bytes = checkpoint;
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  put_bytes(pieces().checkpoint, bytes);
  fails_with(Errc::damaged, "it is cut or its checksum is wrong");
  put_bytes(pieces().checkpoint, {checkpoint.begin(), checkpoint.end() - 1});
  fails_with(Errc::damaged, "it is cut or its checksum is wrong");
  put_bytes(pieces().checkpoint, checkpoint);
  fs::remove(pieces().chunks);
  fails_with(Errc::not_found, "cannot open '" + pieces().chunks.string() + "'");
  put_bytes(pieces().chunks, {chunks.begin(), chunks.end() - 1});
  fails_with(Errc::damaged, "it is shorter than its checkpoint says");
  bytes = chunks;
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  put_bytes(pieces().chunks, bytes);
  fails_with(Errc::damaged, "a chunk's checksum is wrong");
  put_bytes(pieces().chunks, chunks);
  expect_all(ring, 40'000);
}

TEST_F(CompressDamage, RefusesACheckpointOfAnotherProcess) {
  auto ring = open();
  store(ring, 100, 50);
  made.header().pid += 1;
  const auto finished = finish_rank(ring, pieces(), out);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Errc::invalid_argument);
  EXPECT_EQ(finished.error().what,
            "checkpoint '" + pieces().checkpoint.string() + "' is of another process than its ring");
}

TEST_F(CompressDamage, DoesNotTouchAnUnknownLog) {
  auto ring = open();
  put_bytes(pieces().chunks, {'x'});
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  producer.put(known_call(0));
  advance(ring);
  EXPECT_EQ(made.header().compressions.load(), 0u);
  EXPECT_EQ(bytes_of(pieces().chunks).size(), 1u);
  EXPECT_EQ(finish(ring).events, 1u);
}

TEST_F(CompressDamage, MakesNoSecondFileWhenOnlyTheRemovalWasInterrupted) {
  auto ring = open();
  store(ring, 200, 50);
  expect_all(ring, 200);
  const auto whole = bytes_of(out / "rank-00005.h5");
  made.header().is_complete.store(1);
  made.header().pid = 1 << 30;  // no such process
  fs::remove(pieces().checkpoint);
  fs::remove(pieces().chunks);
  const auto recovered = recover_rank(out / "rank-00005.ring", out);
  ASSERT_TRUE(recovered) << recovered.error().what;
  EXPECT_EQ(recovered->outcome, Recovery::finished);
  EXPECT_TRUE(bytes_of(out / "rank-00005.h5") == whole);
  EXPECT_FALSE(fs::exists(made.path()));
  EXPECT_FALSE(fs::exists(out / "rank-00005.ring"));
}

TEST_F(CompressDamage, SurvivesRandomlyChangedCheckpoints) {
  auto ring = open();
  store(ring, 300, 100);
  const auto bytes = bytes_of(pieces().checkpoint);
  const auto whole = parse_checkpoint({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, ring, "it");
  ASSERT_TRUE(whole) << whole.error().what;
  std::mt19937_64 random{test::seeded(5)};
  int refused = 0, made_again = 0;
  for (int round = 0; round < 100; ++round) {
    RankCheckpoint noisy = *whole;
    for (int flips = 0; flips < 3; ++flips)
      noisy.state[random() % noisy.state.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    if (round % 4 == 0) noisy.state.resize(random() % noisy.state.size());
    ASSERT_TRUE(write_checkpoint(pieces().checkpoint, ring, noisy));
    const auto finished = finish_rank(ring, pieces(), out);
    if (finished) {
      ++made_again;
      (void)RankFile::open(out / "rank-00005.h5");
    } else {
      ++refused;
      EXPECT_FALSE(finished.error().what.empty());
    }
  }
  EXPECT_GE(refused, 25);
  EXPECT_GT(made_again, 0);  // a changed time is still a valid one
}

}  // namespace
}  // namespace meridian
