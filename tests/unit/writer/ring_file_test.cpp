// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/ring_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/support/ring_producer.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using namespace test;

TEST(RingFile, ShowsWhatTheProgramStored) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  TestProducer producer{made, 1};
  producer.put(thread_record(0, 5));
  made.set_output(dir.path(), 7, 9);
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  ASSERT_TRUE(ring) << ring.error().what;
  EXPECT_EQ(ring->geometry().slot_count, 4u);
  EXPECT_EQ(ring->world_rank(), 7);
  EXPECT_EQ(ring->world_size(), 9);
  EXPECT_EQ(ring->output_dir(), dir.path().string());
  EXPECT_EQ(ring->executable(), "/bin/app");
  EXPECT_TRUE(ring->is_process_alive());
  const auto range = ring->range(1);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->tail, 0u);
  EXPECT_EQ(range->head, 32u);
  Words words(4);
  ASSERT_TRUE(ring->read(1, 0, words));
  EXPECT_EQ(words, thread_record(0, 5));
}

TEST(RingFile, ReadsAcrossTheEndOfTheRing) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {.slots = 2, .ring_bytes = 8192, .block_bytes = 4096}};
  for (std::uint64_t at = 4096; at < 4096 + 8192; at += 8) *made.word(1, at) = at;
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  Words words(1024);
  ASSERT_TRUE(ring->read(1, 4096, words));
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], 4096 + 8 * i);
}

TEST(RingFile, HasNoOutputDirectoryBeforeTheRankIsKnown) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  std::strcpy(made.header().output_dir, "/somewhere");
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  EXPECT_EQ(ring->output_dir(), "");
  EXPECT_EQ(ring->world_rank(), -1);
  made.header().world_size.store(4);
  made.header().world_rank.store(4);  // no rank of that world
  EXPECT_EQ(ring->world_rank(), -1);
  made.header().world_rank.store(3);
  EXPECT_EQ(ring->output_dir(), "/somewhere");
  std::strcpy(made.header().output_dir, "relative");
  EXPECT_EQ(ring->output_dir(), "");
  std::memset(made.header().output_dir, '/', kPathBytes);  // no end
  EXPECT_EQ(ring->output_dir(), "");
}

struct Lie {
  const char* name;
  void (*tell)(RingFileHeader&);
  const char* reason;
};
class HostileHeader : public testing::TestWithParam<Lie> {};
TEST_P(HostileHeader, IsRefused) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  GetParam().tell(made.header());
  for (const auto access : {RingFile::Access::read_only, RingFile::Access::drain}) {
    auto ring = RingFile::open(dir / "a.ring", access);
    ASSERT_FALSE(ring);
    EXPECT_EQ(ring.error().code, Errc::damaged);
    EXPECT_EQ(ring.error().what, "cannot open ring file '" + (dir / "a.ring").string() + "': " + GetParam().reason);
  }
}
INSTANTIATE_TEST_SUITE_P(
    , HostileHeader,
    testing::Values(
        Lie{"Magic", [](RingFileHeader& h) { h.magic ^= 1; }, "it is not a ring file"},
        Lie{"NoSlots", [](RingFileHeader& h) { h.slot_count = 0; }, "its number of slots is not valid"},
        Lie{"Slots", [](RingFileHeader& h) { h.slot_count = ~0u; }, "its number of slots is not valid"},
        Lie{"ManySlots", [](RingFileHeader& h) { h.slot_count = 30; }, "it is truncated"},
        Lie{"NoBlock", [](RingFileHeader& h) { h.block_bytes = 0; }, "its block size is not valid"},
        Lie{"OddBlock", [](RingFileHeader& h) { h.block_bytes = 4097; }, "its block size is not valid"},
        Lie{"HugeBlock", [](RingFileHeader& h) { h.block_bytes = 1ull << 20; }, "its block size is not valid"},
        Lie{"NoRing", [](RingFileHeader& h) { h.ring_bytes = 0; }, "its ring size is not valid"},
        Lie{"OddRing", [](RingFileHeader& h) { h.ring_bytes = 4096 * 3 + 8; }, "its ring size is not valid"},
        Lie{"HugeRing", [](RingFileHeader& h) { h.ring_bytes = 1ull << 63; }, "its ring size is not valid"},
        Lie{"LargeRing", [](RingFileHeader& h) { h.ring_bytes = 1ull << 30; }, "it is truncated"},
        Lie{"Offset", [](RingFileHeader& h) { h.data_offset = 0; }, "its data offset is not valid"},
        Lie{"OddOffset", [](RingFileHeader& h) { h.data_offset = 8200; }, "its data offset is not valid"},
        Lie{"FarOffset", [](RingFileHeader& h) { h.data_offset = 1ull << 60; }, "its data offset is not valid"}),
    [](const auto& one) { return one.param.name; });

TEST(RingFile, OfANewerVersionNamesBothVersions) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  made.header().version = 9;
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().code, Errc::unsupported);
  EXPECT_EQ(ring.error().what,
            "ring file '" + (dir / "a.ring").string() + "' has version 9, this program reads up to 3");
}

TEST(RingFile, RefusesInvalidPositions) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  const auto is_refused = [&](std::uint64_t tail, std::uint64_t head) {
    made.slot(2).tail.store(tail);
    made.slot(2).head.store(head);
    return !ring->range(2);
  };
  EXPECT_FALSE(is_refused(0, 64 * 1024));
  EXPECT_TRUE(is_refused(0, 64 * 1024 + 8));
  EXPECT_TRUE(is_refused(16, 8));
  EXPECT_TRUE(is_refused(0, 12));
  EXPECT_TRUE(is_refused(~0ull - 7, 0));
}

TEST(RingFile, ThatIsCutWhileItIsOpenGivesAnErrorAndNoSignal) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  std::filesystem::resize_file(dir / "a.ring", 8192);
  Words words(16);
  const Status status = ring->read(3, 0, words);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "cannot read ring file '" + (dir / "a.ring").string() + "': it is truncated");
}

TEST(RingFile, IsNotOpenedThroughALinkOrIfItIsInvalid) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  std::filesystem::create_symlink(dir / "a.ring", dir / "link.ring");
  EXPECT_FALSE(RingFile::open(dir / "link.ring", RingFile::Access::drain));
  EXPECT_EQ(RingFile::open(dir / "none.ring", RingFile::Access::drain).error().code, Errc::not_found);
  put_bytes(dir / "short.ring", std::vector<char>(100, 'x'));
  EXPECT_EQ(RingFile::open(dir / "short.ring", RingFile::Access::drain).error().code, Errc::damaged);
  EXPECT_FALSE(RingFile::open(dir.path(), RingFile::Access::read_only));
}

TEST(RingFile, BelongsToOneProcessAtATime) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  auto first = RingFile::open(dir / "a.ring", RingFile::Access::drain);
  auto second = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  EXPECT_TRUE(first->lock());
  EXPECT_FALSE(second->lock());
  { const RingFile closed = *std::move(first); }
  EXPECT_TRUE(second->lock());
}

TEST(RingFile, KnowsWhenAnotherFileHasTakenItsName) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::drain);
  EXPECT_TRUE(ring->is_at_its_path());
  std::filesystem::remove(dir / "a.ring");
  EXPECT_FALSE(ring->is_at_its_path());
  TestRing other{dir / "a.ring", {}};
  EXPECT_FALSE(ring->is_at_its_path());
}

TEST(RingFile, DistinguishesALiveProcessFromADeadOneAndFromAnotherWithItsPid) {
  const TempDir dir;
  TestRing made{dir / "a.ring", {}};
  auto ring = RingFile::open(dir / "a.ring", RingFile::Access::read_only);
  EXPECT_TRUE(ring->is_process_alive());
  made.header().process_start += 1;
  EXPECT_FALSE(ring->is_process_alive());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  made.header().pid = child;
  made.header().process_start = 0;
  while (start_of(child) != 0 && process_start(child) != 0) ::usleep(1000);  // until it is a zombie
  EXPECT_FALSE(ring->is_process_alive());
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(ring->is_process_alive());
}

}  // namespace
}  // namespace meridian
