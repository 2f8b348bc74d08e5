// SPDX-License-Identifier: Apache-2.0
#pragma once

// A rank whose records are compressed while the program runs.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "known_calls.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/records/finish/finish_rank.hpp"
#include "writer/drain.hpp"
#include "writer/run_compressor.hpp"

namespace meridian::test {

class CompressingRank : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_own_deflate()) GTEST_SKIP() << "without libdeflate nothing is compressed during a run";
    std::filesystem::create_directory(out);
    made.set_output(out, 5, 8);
    made.header().clock = ClockKind::monotonic;  // its readings do not depend on the time of the test
    made.header().spool_bytes = 2;               // a checkpoint after each call of compress()
  }

  RingFile open() { return *RingFile::open(made.path(), RingFile::Access::drain); }
  RankPieces pieces() { return pieces_of(made.path(), out, 5); }
  std::filesystem::path spool() { return spool_in_output(out, 5); }
  /// Lets producers begin again with empty rings.
  void rewind_slots() {
    for (const std::uint32_t slot : {0u, 1u}) {
      made.slot(slot).tail.store(0);
      made.slot(slot).head.store(0);
    }
  }
  /// Moves the contents of the rings to the spool.
  void drain(RingFile& ring) {
    Drain fresh{ring};
    const Status done = fresh.run();
    ASSERT_TRUE(done) << done.error().what;
  }
  /// The same, and converts them, as a writer that has served the ring from the beginning.
  void compress(RingFile& ring) {
    advance(ring);
    ASSERT_EQ(made.header().compressions.load(), conversions);
    ASSERT_EQ(drained->spool()->bytes(), 0u);
  }
  void advance(RingFile& ring) {
    if (!compressor) {
      compressor.emplace(ring, &never);
      drained.emplace(ring);
    }
    const Status done = drained->run();
    ASSERT_TRUE(done) << done.error().what;
    conversions += drained->spool() && drained->spool()->bytes() > 0 ? 1 : 0;
    while (drained->spool() && compressor->run(*drained->spool(), 0)) continue;
  }
  static bool never() noexcept { return false; }
  /// A new run.
  void forget() {
    drained.reset();
    compressor.reset();
    conversions = 0;
    made.header().compressions.store(0);
    for (const auto& piece : {spool(), pieces().checkpoint, pieces().chunks}) std::filesystem::remove(piece);
    rewind_slots();
  }
  FinishedRank finish(const RingFile& ring) {
    auto finished = finish_rank(ring, pieces(), out);
    EXPECT_TRUE(finished) << finished.error().what;
    return finished ? *std::move(finished) : FinishedRank{};
  }
  RankFile result() {
    auto file = RankFile::open(out / "rank-00005.h5");
    EXPECT_TRUE(file) << file.error().what;
    return *std::move(file);
  }
  /// Stores calls of two threads; compresses after every `between` calls.
  void store(RingFile& ring, std::uint64_t calls, std::uint64_t between) {
    TestProducer a{made, 0}, b{made, 1};
    a.put(thread_record(0, 1));
    b.put(thread_record(1, 1));
    for (std::uint64_t i = 0; i < calls; ++i) {
      a.put(known_call(i));
      b.put(known_call(i));
      if (between != 0 && i % between == between - 1) compress(ring);
    }
  }
  void expect_all(const RingFile& ring, std::uint64_t calls) {
    const FinishedRank finished = finish(ring);
    EXPECT_EQ(finished.events, 2 * calls);
    EXPECT_EQ(finished.damaged, 0u);
    RankFile file = result();
    EXPECT_EQ(count_known_calls(file, 0), calls);
    EXPECT_EQ(count_known_calls(file, 1), calls);
  }

  TempDir dir;
  std::filesystem::path out = dir / "out";
  // Large enough for the records between two drains.
  TestRing made{dir / "a.ring", {.slots = 3, .ring_bytes = 1 << 21, .block_bytes = 4096}};
  std::optional<RunCompressor> compressor;
  std::optional<Drain> drained;
  std::uint64_t conversions = 0;
};

}  // namespace meridian::test
