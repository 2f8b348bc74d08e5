// SPDX-License-Identifier: Apache-2.0
// Rank files and the containers that are made from them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "packed_run.hpp"
#include "sample_rank.hpp"
#include "synthetic_patterns.hpp"
#include "tests/support/seed.hpp"
#include "trace/format/chunks/raw_file.hpp"
#include "trace/format/rank/rank_container_writer.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PackedRanks, GiveTheSameMergedDataAsTheirFiles) {
  const TempDir directory;
  write_halo(directory.path(), 6, 400);
  const MergedData expected = merge_and_read(directory.path());
  const Packed packed = pack(directory.path());
  EXPECT_EQ(packed.ranks, 6u);
  EXPECT_EQ(packed.files_removed, 6u);
  EXPECT_EQ(packed.containers, 1u);
  EXPECT_THAT(packed.left_as_they_are, IsEmpty());
  EXPECT_THAT(names_in(directory.path()), ElementsAre("merged.h5", "ranks-node.h5"));
  expect_equal(merge_and_read(directory.path()), expected);
}

TEST(PackedRanks, HaveEveryTableOfTheirFilesAndAreReadWithoutHdf5) {
  const TempDir directory;
  const auto sample = sample_rank(3, 500);
  ASSERT_TRUE(write_sample(directory / "rank-00003.h5", sample));
  pack(directory.path());
  const std::vector<fs::path> containers = containers_in(directory.path());
  ASSERT_THAT(containers, SizeIs(1));
  const auto container = RankContainer::open(containers.front());
  ASSERT_TRUE(container) << container.error().what;
  ASSERT_THAT(container->groups(), ElementsAre(rank_group_name(sample.meta.rank)));
  auto rank = container->rank(container->groups().front());
  ASSERT_TRUE(rank) << rank.error().what;
  EXPECT_FALSE(rank->needs_hdf5());
  EXPECT_TRUE(is_same(rank->meta(), sample.meta));
  for (std::size_t i = 0; i < sample.batches.size(); ++i) {
    EventBatch batch;
    ASSERT_TRUE(rank->read(i, batch));
    EXPECT_TRUE(is_same(batch, sample.batches[i].second)) << i;
  }
}

TEST(PackedRanks, AreGroupsThatOtherProgramsOpenByPath) {
  const TempDir directory;
  write_halo(directory.path(), 4, 30);
  pack(directory.path());
  const h5::File file{H5Fopen((directory / "ranks-node.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  const h5::Dataset call{H5Dopen2(file.get(), "rank-00003/events/call", H5P_DEFAULT)};
  ASSERT_TRUE(call);
  const h5::Space space{H5Dget_space(call.get())};
  EXPECT_EQ(H5Sget_simple_extent_npoints(space.get()), 30 * 9 + 3);
  const h5::Group rank{H5Gopen2(file.get(), "rank-00003", H5P_DEFAULT)};
  EXPECT_EQ(*h5::read_string_attribute(rank.get(), "schema"), "meridian-rank");
  EXPECT_EQ(*h5::read_int_attribute(rank.get(), "rank"), 3);
}

TEST(PackedRanks, OfAHostShareFewDescriptors) {
  const TempDir directory;
  write_halo(directory.path(), 80, 10);  // more groups than a header holds
  pack(directory.path());
  const auto open_descriptors = [] {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{"/proc/self/fd"}, {}));
  };
  const std::size_t before = open_descriptors();
  std::vector<RankFile> ranks;
  {
    const auto container = RankContainer::open(directory / "ranks-node.h5");
    ASSERT_TRUE(container) << container.error().what;
    ASSERT_THAT(container->groups(), SizeIs(80));
    for (const std::string& group : container->groups()) ranks.push_back(std::move(*container->rank(group)));
  }
  EventBatch batch;
  for (RankFile& rank : ranks) ASSERT_TRUE(rank.read(0, batch));
  EXPECT_LE(open_descriptors(), before + 1);
}

TEST(Packing, MakesAContainerForEachHostEvenIfTheirNamesBecomeTheSame) {
  SyntheticRun run{4};
  fill_all_to_all(run, 20);
  for (std::size_t i = 0; i < 4; ++i) run[i].meta.hostname = i % 2 == 0 ? "node/1" : "node_1";
  run.write();
  const MergedData expected = merge_and_read(run.directory.path());
  EXPECT_EQ(pack(run.directory.path()).containers, 2u);
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("merged.h5", "ranks-node_1-2.h5", "ranks-node_1.h5"));
  const auto first = RankContainer::open(run.directory / "ranks-node_1.h5");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->hostname(), "node/1");
  EXPECT_THAT(first->groups(), ElementsAre("rank-00000", "rank-00002"));
  expect_equal(merge_and_read(run.directory.path()), expected);
}

TEST(Packing, OfAPackedTraceChangesNothing) {
  const TempDir directory;
  write_halo(directory.path(), 3, 30);
  pack(directory.path());
  const auto bytes = bytes_of(directory / "ranks-node.h5");
  const Packed again = pack(directory.path());
  EXPECT_EQ(again.ranks, 0u);
  EXPECT_EQ(again.ranks_before, 3u);
  EXPECT_EQ(again.files_removed, 0u);
  EXPECT_TRUE(bytes_of(directory / "ranks-node.h5") == bytes);
}

TEST(Packing, AddsNewRankFilesToTheContainerOfTheirHost) {
  SyntheticRun run{4};
  fill_all_to_all(run, 20);
  run.write();
  const MergedData expected = merge_and_read(run.directory.path());
  const fs::path late = run.directory / "rank-00002.h5", aside = run.directory / "aside";
  fs::rename(late, aside);
  pack(run.directory.path());
  fs::rename(aside, late);
  const Packed packed = pack(run.directory.path());
  EXPECT_EQ(packed.ranks, 1u);
  EXPECT_EQ(packed.ranks_before, 3u);
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("merged.h5", "ranks-node.h5"));
  expect_equal(merge_and_read(run.directory.path()), expected);
}

TEST(Packing, RefusesRecordingsThatAreNotFinished) {
  for (const char* note : {"rank-00001.ring", "rank-00001.done"}) {
    SyntheticRun run{2};
    fill_all_to_all(run, 20);
    run.write();
    std::ofstream{run.directory / note} << "node\n/dev/shm/ring\n";
    const auto before = names_in(run.directory.path());
    const auto packed = pack_ranks(run.directory.path());
    ASSERT_FALSE(packed);
    EXPECT_EQ(packed.error().what,
              "'" + run.directory.path().string() + "' holds recordings that are not finished: " + note);
    EXPECT_EQ(packed.error().hint, "first complete them with: meridian merge '" + run.directory.path().string() + "'");
    EXPECT_EQ(names_in(run.directory.path()), before);
  }
}

TEST(Packing, LeavesDamagedRankFilesAsTheyAre) {
  SyntheticRun run{4};
  fill_all_to_all(run, 200);
  run.write();
  for (const double share : {0.0, 0.5}) {
    const fs::path damaged = run.directory / (share == 0 ? "rank-00001.h5" : "rank-00003.h5");
    fs::resize_file(damaged, static_cast<std::uintmax_t>(share * static_cast<double>(fs::file_size(damaged))));
  }
  const Packed packed = pack(run.directory.path());
  EXPECT_EQ(packed.ranks, 2u);
  ASSERT_THAT(packed.left_as_they_are, SizeIs(2));
  EXPECT_THAT(packed.left_as_they_are[0].what, HasSubstr("rank-00001.h5"));
  EXPECT_THAT(packed.left_as_they_are[1].what, HasSubstr("rank-00003.h5"));
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("rank-00001.h5", "rank-00003.h5", "ranks-node.h5"));
}

TEST(Packing, LeavesARankFileWhoseChunksCannotBeCopied) {
  SyntheticRun run{3};
  fill_all_to_all(run, 400);
  run.write();
  // Cut off behind its tables: the file claims to be whole, a chunk of its columns is not there.
  const fs::path damaged = run.directory / "rank-00001.h5";
  const auto whole = bytes_of(damaged);
  int copied = 0, left = 0;
  for (std::size_t at = 700; at < whole.size(); at += whole.size() / cases(60)) {
    auto broken = whole;
    for (std::size_t i = at; i < std::min(at + 16, broken.size()); ++i) broken[i] = static_cast<char>(0xff);
    const TempDir other;
    for (const char* name : {"rank-00000.h5", "rank-00002.h5"}) fs::copy_file(run.directory / name, other / name);
    put_bytes(other / "rank-00001.h5", broken);
    const Packed packed = pack(other.path());
    (packed.ranks == 3 ? copied : left) += 1;
    EXPECT_EQ(packed.ranks + packed.left_as_they_are.size(), 3u) << at;
    EXPECT_EQ(fs::exists(other / "rank-00001.h5"), packed.ranks == 2) << at;
    const bool is_kept = packed.ranks == 3 || bytes_of(other / "rank-00001.h5") == broken;
    EXPECT_TRUE(is_kept) << at;
    EXPECT_TRUE(merge(other.path())) << at;
  }
  EXPECT_GT(copied, 0);  // damage of compressed bytes is copied with them
  EXPECT_GT(left, 0);
}

TEST(Packing, RefusesTwoRecordingsOfOneRank) {
  SyntheticRun run{2};
  fill_all_to_all(run, 20);
  run.write();
  pack(run.directory.path());
  run[1]->send({900'000, 900'001}, 0, 9, 8);
  run[1].write(run.directory / "rank-00001.h5");
  const auto packed = pack_ranks(run.directory.path());
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().what,
              HasSubstr("holds two recordings of rank 1: ranks-node.h5/rank-00001 and rank-00001.h5"));
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("rank-00001.h5", "ranks-node.h5"));
  const auto merged = merge(run.directory.path());
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().what, HasSubstr("holds two files of rank 1; one is ranks-node.h5/rank-00001"));
}

TEST(Packing, RefusesRanksOfTwoRuns) {
  SyntheticRun run{2};
  fill_all_to_all(run, 20);
  run[1].meta.texts[0].value = "app-2";
  run.write();
  const auto packed = pack_ranks(run.directory.path());
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().what, HasSubstr("holds ranks of 2 runs"));
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("rank-00000.h5", "rank-00001.h5"));
}

TEST(Packing, PacksEachWorldInItsOwnDirectory) {
  SyntheticRun run{2}, started{3};
  fill_all_to_all(run, 20);
  fill_all_to_all(started, 20);
  run.write();
  const fs::path world = run.directory / "world-2";
  fs::create_directory(world);
  for (SyntheticRank& rank : started.ranks) rank.write(world / rank_file_name(rank.meta.rank));
  const MergedData expected = merge_and_read(run.directory.path());
  EXPECT_EQ(pack(run.directory.path()).containers, 2u);
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("merged.h5", "ranks-node.h5", "world-2"));
  EXPECT_THAT(names_in(world), ElementsAre("ranks-node.h5"));
  expect_equal(merge_and_read(run.directory.path()), expected);
}

TEST(Packing, GivesTheContainerThePermissionsThatAllRankFilesHave) {
  SyntheticRun run{3};
  fill_all_to_all(run, 20);
  run.write();
  fs::permissions(run.directory / "rank-00000.h5", fs::perms{0640});
  fs::permissions(run.directory / "rank-00001.h5", fs::perms{0644});
  fs::permissions(run.directory / "rank-00002.h5", fs::perms{0660});
  pack(run.directory.path());
  EXPECT_EQ(fs::status(run.directory / "ranks-node.h5").permissions(), fs::perms{0640});
}

TEST(Packing, OfADirectoryWithoutRanksIsAnError) {
  const TempDir directory;
  const auto packed = pack_ranks(directory.path());
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().what, "directory '" + directory.path().string() + "' is empty");
}

}  // namespace
}  // namespace meridian::test
