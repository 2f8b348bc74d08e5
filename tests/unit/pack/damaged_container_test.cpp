// SPDX-License-Identifier: Apache-2.0
// Merges of damaged containers: findings or an error in words, never a crash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "cli/describe.hpp"
#include "packed_run.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Finding* find(const MergeOutcome& outcome, std::string_view name) {
  const auto found = std::ranges::find(outcome.summary.findings, name, &Finding::name);
  return found == outcome.summary.findings.end() ? nullptr : &*found;
}

/// Ranks 0 and 1 on host a, 2 and 3 on host b, packed.
struct PackedRun : SyntheticRun {
  fs::path path = directory / "ranks-b.h5";

  explicit PackedRun(std::uint64_t rounds) : SyntheticRun{4} {
    fill_all_to_all(*this, rounds);
    for (std::size_t i = 0; i < 4; ++i) ranks[i].meta.hostname = i < 2 ? "a" : "b";
    write();
    pack(directory.path());
  }
};

TEST(DamagedContainer, ThatIsCutOffLeavesTheRanksOfOtherHosts) {
  PackedRun run{100};
  const auto whole = bytes_of(run.path);
  for (const double share : {0.0, 0.01, 0.3, 0.6, 0.9, 0.999}) {
    auto cut = whole;
    cut.resize(static_cast<std::size_t>(share * static_cast<double>(whole.size())));
    put_bytes(run.path, cut);
    const auto outcome = merge(run.directory.path());
    ASSERT_TRUE(outcome) << outcome.error().what;
    ASSERT_NE(find(*outcome, "rank.unreadable"), nullptr);
    EXPECT_EQ(find(*outcome, "rank.unreadable")->severity, Severity::error);
    EXPECT_THAT(find(*outcome, "rank.unreadable")->detail, StartsWith("ranks-b.h5: cannot open '"));
    ASSERT_NE(find(*outcome, "rank.missing"), nullptr);
    EXPECT_EQ(find(*outcome, "rank.missing")->detail, "rank 2, 3");
    EXPECT_EQ(outcome->summary.run.ranks_present, 2);
    const auto described = describe_path(run.path);
    ASSERT_FALSE(described);
    EXPECT_THAT(described.error().what, HasSubstr("ranks-b.h5"));
    EXPECT_TRUE(describe_path(run.directory.path()));
  }
}

TEST(DamagedContainer, WithADamagedGroupLeavesTheOtherGroups) {
  PackedRun run{10};
  {
    const h5::File file{H5Fopen(run.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    ASSERT_GE(H5Adelete_by_name(file.get(), "rank-00003", "version", H5P_DEFAULT), 0);
  }
  const auto outcome = merge(run.directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_NE(find(*outcome, "rank.unreadable"), nullptr);
  EXPECT_THAT(find(*outcome, "rank.unreadable")->detail, StartsWith("ranks-b.h5/rank-00003: "));
  EXPECT_EQ(find(*outcome, "rank.missing"), nullptr) << "one flaw, one finding";
  EXPECT_EQ(outcome->summary.run.ranks_present, 3);
}

TEST(DamagedContainer, IsNotReplacedByPackingNewRankFiles) {
  PackedRun run{10};
  {
    const h5::File file{H5Fopen(run.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    ASSERT_GE(H5Adelete_by_name(file.get(), "rank-00003", "version", H5P_DEFAULT), 0);
  }
  const auto damaged = bytes_of(run.path);
  run[3].write(run.directory / "rank-00003.h5");
  const Packed packed = pack(run.directory.path());
  EXPECT_EQ(packed.ranks, 1u);
  ASSERT_EQ(packed.left_as_they_are.size(), 1u);
  EXPECT_THAT(packed.left_as_they_are[0].what, HasSubstr("ranks-b.h5/rank-00003"));
  EXPECT_TRUE(bytes_of(run.path) == damaged);
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("ranks-a.h5", "ranks-b-2.h5", "ranks-b.h5"));
  const auto outcome = merge(run.directory.path());
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->summary.run.ranks_present, 4);
}

TEST(DamagedContainer, WithAFlippedByteIsAFindingNeverACrash) {
  PackedRun run{300};
  const auto whole = bytes_of(run.path);
  std::mt19937 random{seeded(5)};
  int findings = 0, flips = 0;
  for (std::size_t at = 0; at < whole.size(); at += 1 + random() % (whole.size() / cases(60))) {
    auto flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (random() % 8)));
    put_bytes(run.path, flipped);
    const auto outcome = merge(run.directory.path());
    ASSERT_TRUE(outcome) << at << ": " << outcome.error().what;
    EXPECT_LE(outcome->summary.run.calls, 300u * 4 * 6) << at;
    ++flips;
    findings += find(*outcome, "rank.unreadable") != nullptr || !outcome->summary.findings.empty() ? 1 : 0;
  }
  EXPECT_GT(findings, flips / 2) << "most bytes matter";
}

TEST(DamagedContainer, ThatIsTheOnlyFileIsAnErrorInWords) {
  for (const bool is_empty : {true, false}) {
    const TempDir directory;
    put_bytes(directory / "ranks-b.h5", is_empty ? std::vector<char>{} : std::vector<char>(5000, 'x'));
    const auto outcome = merge(directory.path());
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().what, HasSubstr("ranks-b.h5"));
  }
}

TEST(DamagedContainer, WithoutRanksIsAnErrorInWords) {
  const TempDir directory;
  {
    auto file = h5::create_file(directory / "ranks-b.h5");
    ASSERT_TRUE(file);
    ASSERT_TRUE(h5::write_attribute(file->get(), "schema", kContainerSchema));
    ASSERT_TRUE(h5::write_attribute(file->get(), "version", 1));
    ASSERT_TRUE(h5::write_attribute(file->get(), "hostname", "b"));
  }
  const auto outcome = merge(directory.path());
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().what, HasSubstr("holds no ranks"));
}

TEST(DamagedContainer, OfAnotherVersionIsNotSupported) {
  const TempDir directory;
  {
    auto file = h5::create_file(directory / "ranks-b.h5");
    ASSERT_TRUE(file);
    ASSERT_TRUE(h5::write_attribute(file->get(), "schema", kContainerSchema));
    ASSERT_TRUE(h5::write_attribute(file->get(), "version", 2));
  }
  const auto opened = RankContainer::open(directory / "ranks-b.h5");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::unsupported);
  EXPECT_EQ(opened.error().what,
            "container '" + (directory / "ranks-b.h5").string() + "': it has version 2, this program reads up to 1");
}

TEST(DescribedContainer, SaysWhichRanksItHolds) {
  PackedRun run{10};
  const auto described = describe_path(run.path);
  ASSERT_TRUE(described) << described.error().what;
  EXPECT_THAT(described->text, StartsWith("container of ranks '" + run.path.string() + "'\n"));
  EXPECT_THAT(described->text, HasSubstr("  host        b\n  ranks       2: 2, 3\n"));
  EXPECT_THAT(described->json, HasSubstr("\"kind\": \"container of ranks\""));
  const auto directory = describe_path(run.directory.path());
  ASSERT_TRUE(directory) << directory.error().what;
  EXPECT_THAT(directory->text, HasSubstr("  containers  2, with 4 ranks, "));
  EXPECT_THAT(directory->text, HasSubstr("  ranks       4 in the run\n"));
}

}  // namespace
}  // namespace meridian::test
