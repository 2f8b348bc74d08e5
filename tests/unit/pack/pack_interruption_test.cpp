// SPDX-License-Identifier: Apache-2.0
// Packing that ends at any moment.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "packed_run.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

/// Packs in another process, which ends without a word at the step of that number. Returns whether it had fewer steps.
bool pack_until(const fs::path& directory, int step) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto packed = pack_ranks(directory, [&](double, std::string_view) {
      if (step-- == 0) ::_exit(9);
    });
    ::_exit(packed ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 1) << step;
  return WEXITSTATUS(status) == 0;
}

TEST(InterruptedPacking, LosesNothingAndIsCompletedByTheNext) {
  SyntheticRun run{4};
  fill_all_to_all(run, 20);
  for (std::size_t i = 0; i < 4; ++i) run[i].meta.hostname = i < 2 ? "a" : "b";
  run.write();
  const MergedData expected = merge_and_read(run.directory.path());
  int steps = 0;
  for (;; ++steps) {
    fs::remove(run.directory / "ranks-a.h5");
    fs::remove(run.directory / "ranks-b.h5");
    run.write();
    const bool is_complete = pack_until(run.directory.path(), steps);
    expect_equal(merge_and_read(run.directory.path()), expected);
    pack(run.directory.path());
    EXPECT_THAT(names_in(run.directory.path()), ElementsAre("merged.h5", "ranks-a.h5", "ranks-b.h5")) << steps;
    if (is_complete || HasFailure()) break;
  }
  expect_equal(merge_and_read(run.directory.path()), expected);
  EXPECT_GE(steps, 4 * 4);  // each rank is looked at, copied, checked and removed
}

TEST(InterruptedPacking, OfNewRankFilesLeavesTheOldContainerOrTheNew) {
  SyntheticRun run{3};
  fill_all_to_all(run, 20);
  run.write();
  const MergedData expected = merge_and_read(run.directory.path());
  fs::rename(run.directory / "rank-00002.h5", run.directory / "aside");
  pack(run.directory.path());
  fs::rename(run.directory / "ranks-node.h5", run.directory / "container");
  for (int step = 0;; ++step) {
    fs::copy_file(run.directory / "container", run.directory / "ranks-node.h5", fs::copy_options::overwrite_existing);
    fs::copy_file(run.directory / "aside", run.directory / "rank-00002.h5", fs::copy_options::overwrite_existing);
    const bool is_complete = pack_until(run.directory.path(), step);
    expect_equal(merge_and_read(run.directory.path()), expected);
    pack(run.directory.path());
    EXPECT_THAT(names_in(run.directory.path()), ElementsAre("aside", "container", "merged.h5", "ranks-node.h5"));
    if (is_complete || HasFailure()) break;
  }
}

TEST(InterruptedPacking, ByAFullDiskLeavesTheRankFiles) {
  SyntheticRun run{4};
  fill_all_to_all(run, 100);
  run.write();
  const auto names = names_in(run.directory.path());
  for (const rlim_t most : {100u, 3000u, 10'000u, 20'000u, 30'000u}) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const rlimit limit{most, most};
      ::signal(SIGXFSZ, SIG_IGN);
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const auto packed = pack_ranks(run.directory.path());
      ::_exit(!packed && packed.error().code == Errc::io ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << most << ": " << status;
    EXPECT_EQ(names_in(run.directory.path()), names) << most;
  }
}

TEST(InterruptedPacking, CountsARankOnceThatIsInBoth) {
  SyntheticRun run{3};
  fill_all_to_all(run, 20);
  run.write();
  const MergedData expected = merge_and_read(run.directory.path());
  fs::copy_file(run.directory / "rank-00001.h5", run.directory / "aside");
  pack(run.directory.path());
  fs::rename(run.directory / "aside", run.directory / "rank-00001.h5");
  expect_equal(merge_and_read(run.directory.path()), expected);
  const Packed packed = pack(run.directory.path());
  EXPECT_EQ(packed.ranks, 0u);
  EXPECT_EQ(packed.files_removed, 1u);
  EXPECT_THAT(names_in(run.directory.path()), ElementsAre("merged.h5", "ranks-node.h5"));
}

}  // namespace
}  // namespace meridian::test
