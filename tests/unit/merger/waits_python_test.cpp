// SPDX-License-Identifier: Apache-2.0
// Waits and their causes, compared with those that plain loops in Python find in the merged file.

#include <gtest/gtest.h>

#include "analysed.hpp"
#include "random_threads.hpp"
#include "random_waits.hpp"
#include "synthetic_patterns.hpp"
#include "tests/support/run_python.hpp"

namespace meridian::test {
namespace {

void check(const std::filesystem::path& merged, const char* script = MERIDIAN_CHECK_WAITS) {
  run_python(MERIDIAN_PYTHON_H5PY, {script, merged});
}

TEST(WaitsInPython, OfAHaloExchangeAreThoseOfPlainLoops) {
  const TempDir directory;
  write_halo(directory.path(), 4, 100);
  ASSERT_TRUE(merge(directory.path(), with_analyses()));
  check(directory / "merged.h5");
}

TEST(WaitsInPython, OfRandomProgramsAreThoseOfPlainLoops) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SyntheticRun run{4};
    play_waits(run, {0, 1, 2, 3}, seed);
    const auto outcome = run.merge(with_analyses());
    ASSERT_TRUE(outcome) << outcome.error().what;
    check(run.merged());
  }
}

TEST(WaitsInPython, OfRandomThreadsAreThoseOfPlainLoops) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SyntheticRun run{2};
    play_threads(run[0], 4, seed % 2 == 0, seed);
    play_threads(run[1], 3, seed % 2 == 0, seed + 100);
    const auto outcome = run.merge(with_analyses());
    ASSERT_TRUE(outcome) << outcome.error().what;
    check(run.merged(), MERIDIAN_CHECK_THREAD_WAITS);
  }
}

}  // namespace
}  // namespace meridian::test
