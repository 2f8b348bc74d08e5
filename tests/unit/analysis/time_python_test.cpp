// SPDX-License-Identifier: Apache-2.0
// States, efficiencies and critical paths of random runs, compared with plain recursion and loops over h5py's columns.

#include <gtest/gtest.h>

#include "analysed.hpp"
#include "random_program.hpp"
#include "random_teams.hpp"
#include "synthetic_patterns.hpp"
#include "tests/support/run_python.hpp"

namespace meridian::test {
namespace {

void check(const std::filesystem::path& merged) {
  for (const char* script : {MERIDIAN_CHECK_EFFICIENCY, MERIDIAN_CHECK_CRITICAL_PATH})
    run_python(MERIDIAN_PYTHON_H5PY, {script, merged});
}

TEST(TimeInPython, OfAHaloExchangeIsTheSame) {
  const TempDir directory;
  write_halo(directory.path(), 4, 60);
  ASSERT_TRUE(merge(directory.path(), with_analyses()));
  check(directory / "merged.h5");
}

TEST(TimeInPython, OfRandomProgramsIsTheSame) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SyntheticRun run{4};
    RandomProgram{run, seed}.play(250);
    ASSERT_TRUE(run.merge(with_analyses()));
    check(run.merged());
  }
}

TEST(TimeInPython, OfRandomProgramsWithTeamsOfThreadsIsTheSame) {
  for (const std::size_t threads : {1U, 2U, 4U}) {
    SyntheticRun run{3};
    RandomTeams{run, threads, threads}.play(150);
    ASSERT_TRUE(run.merge(with_analyses()));
    run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_EFFICIENCY, run.merged()});
  }
}

}  // namespace
}  // namespace meridian::test
