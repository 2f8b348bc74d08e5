// SPDX-License-Identifier: Apache-2.0
// Merges whose rank files several processes open and read: the merged file has the same bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "cli/generate/generated_halo.hpp"
#include "merger/merge.hpp"
#include "reading.hpp"
#include "synthetic_patterns.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/whole_file.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// The merged file, or the error.
std::string merged_by(int count, const fs::path& directory) {
  const fs::path output = directory / ("by" + std::to_string(count) + ".h5");
  MergeOptions options;
  options.output = output;
  std::optional<ReadingProcesses> reading;
  if (count > 1) {
    reading.emplace(count);
    options.processes = &reading->processes;
  }
  const auto outcome = merge(directory, options);
  EXPECT_TRUE(!reading || reading->end());
  if (!outcome) return outcome.error().what;
  std::string bytes = whole_file(output);
  fs::remove(output);
  return bytes;
}

void expect_the_same_bytes(const fs::path& directory) {
  const std::string alone = merged_by(1, directory);
  ASSERT_GT(alone.size(), 5000u) << alone;
  for (int count : {2, 3, 4}) EXPECT_TRUE(merged_by(count, directory) == alone) << count << " processes";
}

TEST(SharedMerge, OfAHaloExchangeHasTheSameBytes) {
  const TempDir directory;
  write_halo(directory.path(), 6, 1000);
  expect_the_same_bytes(directory.path());
}

TEST(SharedMerge, OfMoreRanksThanAreDecodedInMemoryHasTheSameBytes) {
  const TempDir directory;
  write_halo(directory.path(), 70, 100);
  expect_the_same_bytes(directory.path());
}

TEST(SharedMerge, OfHostsWithClocksOfTheirOwnHasTheSameBytes) {
  const TempDir directory;
  ASSERT_TRUE(generate_halo(directory.path(), {.ranks = 8, .hosts = 4, .calls = 4000}));
  expect_the_same_bytes(directory.path());
}

TEST(SharedMerge, OfThreadsThatRaceHasTheSameBytes) {
  SyntheticRun run{3};
  for (std::uint32_t thread = 0; thread < 3; ++thread)
    for (std::uint64_t i = 0; i < 400; ++i) {
      const std::uint64_t t = 1000 * i + 100 * thread;
      for (std::int32_t r = 0; r < 3; ++r) {
        run[static_cast<std::size_t>(r)].thread(thread).send({t, t + 30}, (r + 1) % 3, 1, 8);
        run[static_cast<std::size_t>(r)].thread(thread).receive({t + 300, t + 340}, (r + 2) % 3, 1, 8);
      }
    }
  run.write();
  expect_the_same_bytes(run.directory.path());
}

TEST(SharedMerge, OfReversedMessagesThatAreRepairedHasTheSameBytes) {
  SyntheticRun run{4};
  for (std::uint64_t i = 0; i < 200; ++i)
    for (std::int32_t r = 0; r < 4; ++r) {
      const std::uint64_t t = 1000 * i;
      run[static_cast<std::size_t>(r)]->send({t + 500, t + 530}, (r + 1) % 4, 1, 8);
      run[static_cast<std::size_t>(r)]->receive({t + 540, t + 560 + static_cast<std::uint64_t>(r % 2) * 300},
                                                (r + 3) % 4, 1, 8);
      if (i % 50 == 7) run[static_cast<std::size_t>(r)]->send({t + 900, t + 910}, (r + 2) % 4, 2, 8);
      if (i % 50 == 8) run[static_cast<std::size_t>(r)]->receive({t - 120, t - 101}, (r + 2) % 4, 2, 8);
    }
  run.write();
  expect_the_same_bytes(run.directory.path());
}

TEST(SharedMerge, OfDamagedFilesHasTheSameBytesAndFindings) {
  std::mt19937_64 random{seeded(3)};
  for (std::uint64_t round = 0; round < cases(12); ++round) {
    SyntheticRun run{4};
    fill_all_to_all(run, 300);
    run.write();
    const fs::path damaged = run.directory / rank_file_name(static_cast<std::int32_t>(1 + random() % 3));
    std::string bytes = whole_file(damaged);
    for (int i = 0; i < 8; ++i) bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    std::ofstream{damaged, std::ios::binary} << bytes;
    const std::string alone = merged_by(1, run.directory.path());
    for (int count : {2, 4})
      EXPECT_TRUE(merged_by(count, run.directory.path()) == alone) << count << " processes, round " << round;
  }
}

// Rank 1 was on the node of process 2, rank 2 on that of process 1, which has no room; nobody is on the node of rank 3.
TEST(SharedMerge, FinishesRecordingsOnTheNodesOfTheirRanks) {
  SyntheticRun run{4};
  fill_all_to_all(run, 3);
  run.write();
  for (std::int32_t rank : {1, 2, 3}) {
    fs::rename(run.directory / rank_file_name(rank), run.directory / ("kept" + std::to_string(rank)));
    std::ofstream{run.directory / fs::path{rank_file_name(rank)}.replace_extension(".ring")} << "note";
  }
  const auto recover_on = [](int process) {
    return [process](const fs::path& note, const fs::path& directory) -> Status {
      const std::int32_t rank = std::stoi(note.stem().string().substr(5));
      if (process == 1 && rank == 2) return Error{Errc::io, "no room for rank 2", ""};
      if (process != 2 || rank != 1) return Error{Errc::invalid_argument, "not on this host", ""};
      fs::rename(directory / "kept1", directory / rank_file_name(rank));
      fs::remove(note);
      return {};
    };
  };
  ForkedProcesses processes{3,
                            [&](Processes& others) { return read_ranks(others, SIZE_MAX, recover_on(others.rank())); }};
  MergeOptions options;
  options.processes = &processes;
  options.recover = recover_on(0);
  const auto outcome = merge(run.directory.path(), options);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_TRUE(fs::exists(run.directory / rank_file_name(1)));
  std::string leftovers;
  for (const Finding& finding : outcome->summary.findings)
    if (finding.name == "rank.leftover") leftovers = finding.detail;
  EXPECT_THAT(leftovers, HasSubstr("rank-00002.ring: no room for rank 2"));
  EXPECT_THAT(leftovers, HasSubstr("rank-00003.ring: not on this host"));
  EXPECT_THAT(leftovers, Not(HasSubstr("rank-00001")));
  for (int other : {1, 2}) EXPECT_TRUE(processes.send(other, {static_cast<std::uint8_t>(Work::end)}));
  EXPECT_TRUE(processes.join());
}

TEST(SharedMerge, ThatLosesAProcessIsAnErrorAndLeavesNothing) {
  const TempDir directory;
  write_halo(directory.path(), 4, 30'000);
  for (std::size_t answers : {0u, 1u, 2u, 5u, 9u}) {
    ForkedProcesses processes{
        3, [&](Processes& others) { return others.rank() == 2 ? read_ranks(others, answers) : read_ranks(others); }};
    MergeOptions options;
    options.processes = &processes;
    const auto outcome = merge(directory.path(), options);
    ASSERT_FALSE(outcome) << answers;
    EXPECT_EQ(outcome.error().code, Errc::io) << outcome.error().what;
    EXPECT_THAT(outcome.error().what, HasSubstr("process 2"));
    std::size_t names = 0;
    for (const auto& entry : fs::directory_iterator{directory.path()})
      names += entry.path().filename().string().starts_with("rank-") ? 0 : 1;
    EXPECT_EQ(names, 0u) << answers;
    (void)bool{processes.send(1, {static_cast<std::uint8_t>(Work::end)})};
  }
}

}  // namespace
}  // namespace meridian::test
