// SPDX-License-Identifier: Apache-2.0
// merge() of directories with missing, excess or broken files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "merged_reader.hpp"
#include "summary/measures.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

bool has_errors(const MergeOutcome& outcome) { return count_findings(outcome.summary, Severity::error) > 0; }

void truncate(const fs::path& path, double share) {
  fs::resize_file(path, static_cast<std::uintmax_t>(static_cast<double>(fs::file_size(path)) * share));
}

TEST(LoadRanks, MissingDirectoryIsNamed) {
  const auto outcome = merge("/no/such/run");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "there is no directory '/no/such/run'");
}

TEST(LoadRanks, FileIsNotADirectory) {
  const TempDir directory;
  std::ofstream{directory / "notes.txt"} << "x";
  const auto outcome = merge(directory / "notes.txt");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "'" + (directory / "notes.txt").string() + "' is not a directory");
}

TEST(LoadRanks, EmptyDirectoryGetsAHintHowToRecord) {
  const TempDir directory;
  const auto outcome = merge(directory.path());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "directory '" + directory.path().string() + "' is empty");
  EXPECT_THAT(outcome.error().hint, HasSubstr("meridian run"));
}

TEST(LoadRanks, ForeignDirectoryListsItsContents) {
  const TempDir directory;
  for (const char* name : {"d.c", "a.txt", "b.log", "c.h5"}) std::ofstream{directory / name} << "x";
  const auto outcome = merge(directory.path());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "directory '" + directory.path().string() +
                                      "' holds no rank files (rank-*.h5); it holds a.txt, b.log, c.h5, ...");
}

TEST(LoadRanks, DirectoryAboveARunPointsAtIt) {
  const TempDir directory;
  fs::create_directory(directory / "meridian-app-1");
  std::ofstream{directory / "meridian-app-1" / "rank-00000.h5"} << "x";
  const auto outcome = merge(directory.path());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().hint, "give that one: meridian merge " + (directory / "meridian-app-1").string());
}

TEST(LoadRanks, UnreadableRankLeavesTheOthers) {
  for (const double share : {0.0, 0.1, 0.5, 0.9}) {
    SyntheticRun run{3};
    fill_all_to_all(run, 200);
    run.write();
    truncate(run.directory / "rank-00001.h5", share);
    const auto outcome = merge(run.directory.path());
    ASSERT_TRUE(outcome) << outcome.error().what;
    const Finding* finding = find(outcome->summary, "rank.unreadable");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->count, 1U);
    EXPECT_THAT(finding->detail, StartsWith("rank-00001.h5: "));
    EXPECT_EQ(finding->severity, Severity::error);
    EXPECT_EQ(find(outcome->summary, "rank.missing"), nullptr) << "one flaw, one finding";
    EXPECT_TRUE(has_errors(*outcome));
    EXPECT_EQ(outcome->summary.messages.matched, 400U);
    EXPECT_EQ(outcome->summary.messages.unmatched_sends, 0U);
  }
}

TEST(LoadRanks, NothingReadableIsAnError) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run.write();
  for (const char* name : {"rank-00000.h5", "rank-00001.h5"}) put_bytes(run.directory / name, {'x'});
  const auto outcome = merge(run.directory.path());
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().what, StartsWith("none of the 2 rank files in '"));
  EXPECT_FALSE(fs::exists(run.merged()));
}

TEST(LoadRanks, FlippedByteInTheDataIsAFindingNeverACrash) {
  SyntheticRun run{2};
  fill_all_to_all(run, 3000);
  run.write();
  const auto whole = bytes_of(run.directory / "rank-00001.h5");
  int findings = 0;
  for (std::size_t at = 600; at < whole.size(); at += whole.size() / 40) {
    auto broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x55);
    put_bytes(run.directory / "rank-00001.h5", broken);
    const auto outcome = merge(run.directory.path());
    ASSERT_TRUE(outcome) << outcome.error().what;
    findings += has_errors(*outcome) ? 1 : 0;
    EXPECT_LE(outcome->summary.run.calls, 12000U);
  }
  EXPECT_GT(findings, 20) << "most bytes matter";
}

TEST(LoadRanks, FilesOfTwoRunsAreRefused) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run[1].meta.texts[0].value = "app-2";
  run.write();
  const auto outcome = merge(run.directory.path());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "directory '" + run.directory.path().string() +
                                      "' holds rank files of 2 runs: rank-00000.h5 of a run of ./app on 2 ranks; "
                                      "rank-00001.h5 of a run of ./app on 2 ranks");
  EXPECT_THAT(outcome.error().hint, HasSubstr("--force"));
}

TEST(LoadRanks, ForceTakesTheLargestOfTwoRuns) {
  SyntheticRun run{3};
  fill_all_to_all(run);
  run[0].meta.texts[0].value = "app-0";
  run.write();
  const auto outcome = merge(run.directory.path(), {.force = true});
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(find(outcome->summary, "rank.foreign")->detail, "rank-00000.h5");
  EXPECT_EQ(find(outcome->summary, "rank.missing")->detail, "rank 0");
  EXPECT_EQ(outcome->summary.messages.matched, 2U);
}

TEST(LoadRanks, RankThatDiedBeforeItKnewItsRunBelongsToTheOnlyOne) {
  SyntheticRun run{3};
  fill_all_to_all(run);
  run[1].meta.texts.erase(run[1].meta.texts.begin());
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->summary.run.ranks_present, 3);
}

TEST(LoadRanks, OneRankTwiceIsRefused) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run.write();
  fs::copy_file(run.directory / "rank-00001.h5", run.directory / "rank-1-copy.h5");
  const auto outcome = merge(run.directory.path());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what,
            "directory '" + run.directory.path().string() + "' holds two files of rank 1; one is rank-1-copy.h5");
  const auto forced = merge(run.directory.path(), {.force = true});
  ASSERT_TRUE(forced);
  EXPECT_EQ(find(forced->summary, "rank.foreign")->detail, "rank-1-copy.h5");
}

TEST(LoadRanks, AWorldThatIsOnlyClaimedIsRefused) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  for (SyntheticRank& rank : run.ranks) rank.meta.size = 10'000'000;
  const auto outcome = run.merge();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "the rank files in '" + run.directory.path().string() +
                                      "' claim to be of 10000000 ranks, and there are files of 2");
}

TEST(LoadRanks, AThreadHasItsCallsOnceHoweverManyRowsItHas) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run.write();
  const auto once = merge(run.directory.path());
  ASSERT_TRUE(once);
  ASSERT_GT(once->summary.run.calls, 0U);
  run[0].meta.threads = {{0, 1, 0, 0}, {0, 1, 0, 0}, {0xffffffff, 1, 0, 0}};
  auto file = RankFileWriter::create(run.directory / rank_file_name(0));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(ThreadId{0}, run[0].threads.at(0).batch));
  ASSERT_TRUE(file->append(ThreadId{0xffffffff}, run[0].threads.at(0).batch));
  ASSERT_TRUE(file->finish(run[0].meta));
  const auto twice = merge(run.directory.path());
  ASSERT_TRUE(twice) << twice.error().what;
  EXPECT_EQ(twice->summary.run.calls, once->summary.run.calls + run[0].threads.at(0).batch.call.size());
}

TEST(LoadRanks, MissingRanksAreListedAsRanges) {
  SyntheticRun run{7};
  fill_all_to_all(run);
  run.write();
  for (const int rank : {1, 3, 4, 5}) fs::remove(run.directory / rank_file_name(rank));
  const auto outcome = merge(run.directory.path());
  ASSERT_TRUE(outcome);
  EXPECT_EQ(find(outcome->summary, "rank.missing")->detail, "rank 1, 3-5");
  EXPECT_EQ(find(outcome->summary, "rank.missing")->count, 4U);
  EXPECT_TRUE(has_errors(*outcome));
}

TEST(LoadRanks, LossesAreFindingsOfTheirCause) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run[0].meta.losses[static_cast<std::size_t>(Loss::ring_full)] = 10;
  run[1].meta.losses[static_cast<std::size_t>(Loss::ring_full)] = 5;
  run[1].meta.losses[static_cast<std::size_t>(Loss::writer_gone)] = 1;
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(count_of(outcome->summary, "loss.ring_full"), 15U);
  EXPECT_EQ(find(outcome->summary, "loss.ring_full")->detail, "rank 0: 10; rank 1: 5");
  EXPECT_EQ(count_of(outcome->summary, "loss.writer_gone"), 1U);
  EXPECT_FALSE(has_errors(*outcome));
}

TEST(LoadRanks, RankThatNeverFinalizedIsAFinding) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run[1].meta.is_finalized = false;
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(find(outcome->summary, "rank.unfinished")->detail, "rank 1");
}

TEST(LoadRanks, LeftoversAreRecoveredFirst) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run.write();
  fs::rename(run.directory / "rank-00001.h5", run.directory / "elsewhere");
  std::ofstream{run.directory / "rank-00001.ring"} << "node\n/dev/shm/ring\n";
  const auto recover = [&](const fs::path& note, const fs::path& directory) -> Status {
    EXPECT_EQ(note, run.directory / "rank-00001.ring");
    fs::rename(directory / "elsewhere", directory / "rank-00001.h5");
    fs::remove(note);
    return {};
  };
  const auto outcome = merge(run.directory.path(), {.recover = recover});
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_THAT(outcome->summary.findings, IsEmpty());
  EXPECT_EQ(outcome->summary.run.ranks_present, 2);
}

TEST(LoadRanks, RemainingLeftoversAreAFinding) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run.write();
  std::ofstream{run.directory / "rank-00001.ring"} << "far\n/dev/shm/ring\n";
  const auto recover = [](const fs::path&, const fs::path&) -> Status {
    return Error{Errc::invalid_argument, "its ring is on host far", ""};
  };
  const auto outcome = merge(run.directory.path(), {.recover = recover});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(find(outcome->summary, "rank.leftover")->detail, "rank-00001.ring: its ring is on host far");
}

TEST(LoadRanks, OnlyLeftoversIsAnErrorWithItsReason) {
  const TempDir directory;
  std::ofstream{directory / "rank-00000.ring"} << "far\n/dev/shm/ring\n";
  const auto recover = [](const fs::path&, const fs::path&) -> Status {
    return Error{Errc::invalid_argument, "its ring is on host far", ""};
  };
  const auto outcome = merge(directory.path(), {.recover = recover});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().what, HasSubstr("rank-00000.ring: its ring is on host far"));
}

TEST(Output, IsReplacedOnlyIfItIsAMergedFile) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  ASSERT_TRUE(run.merge());
  ASSERT_TRUE(run.merge()) << "a merged file may be made anew";
  put_bytes(run.merged(), {'m', 'i', 'n', 'e'});
  const auto outcome = run.merge();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().what, "output '" + run.merged().string() + "' exists and is not a merged file");
  EXPECT_EQ(bytes_of(run.merged()).size(), 4U);
  EXPECT_TRUE(run.merge({.force = true}));
}

TEST(Output, GoesWhereTheUserWants) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  const TempDir elsewhere;
  const auto outcome = run.merge({.output = elsewhere / "all.h5"});
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->path, elsewhere / "all.h5");
  EXPECT_TRUE(fs::exists(elsewhere / "all.h5"));
  EXPECT_FALSE(fs::exists(run.merged()));
}

TEST(Output, ThatCannotBeWrittenIsAnErrorAndLeavesNothing) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  const auto outcome = run.merge({.output = run.directory / "no" / "such" / "place.h5"});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().what, HasSubstr("place.h5"));
}

TEST(Output, NothingButTheMergedFileIsLeftBehind) {
  SyntheticRun run{2};
  fill_all_to_all(run);
  run[1]->collective(CallId::Barrier, {20, 21});
  run[0]->collective(CallId::Barrier, {900'000, 900'010});  // something to repair
  run[1]->collective(CallId::Barrier, {900'020, 900'021});
  run[0]->collective(CallId::Barrier, {900'030, 900'031});
  ASSERT_TRUE(run.merge());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{run.directory.path()}) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  EXPECT_THAT(names, ElementsAre("merged.h5", "rank-00000.h5", "rank-00001.h5"));
}

TEST(Progress, AscendsToTheEndAndNamesItsPasses) {
  SyntheticRun run{2};
  fill_all_to_all(run, 100);
  run[0]->collective(CallId::Barrier, {10'000'000, 10'000'001});
  run[1]->collective(CallId::Barrier, {10'000'010, 10'000'011});
  double last = 0;
  bool is_backwards = false;
  std::vector<std::string> passes;
  const auto outcome = run.merge({.progress = [&](double fraction, std::string_view pass) {
    if (passes.empty() || passes.back() != pass) passes.emplace_back(pass), last = pass == "matching" ? 0 : last;
    is_backwards = is_backwards || fraction < last || fraction > 1;
    last = fraction;
  }});
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(is_backwards);
  EXPECT_EQ(last, 1);
  EXPECT_THAT(passes, ElementsAre("opening rank files", "matching and ordering", "matching", "repairing causality",
                                  "ordering events", "writing messages", "resolving call sites", "done"));
}

}  // namespace
}  // namespace meridian::test
