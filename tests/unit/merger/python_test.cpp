// SPDX-License-Identifier: Apache-2.0
// The merged file through h5py, which shares no code with us.

#include <gtest/gtest.h>

#include "analysed.hpp"
#include "synthetic_patterns.hpp"
#include "tests/support/run_python.hpp"

namespace meridian::test {
namespace {

void check(const std::filesystem::path& merged) { run_python(MERIDIAN_PYTHON_H5PY, {MERIDIAN_CHECK_MERGED, merged}); }

TEST(MergedFileInPython, HoldsWhatTheFormatPromises) {
  const TempDir directory;
  write_halo(directory.path(), 4, 200);
  ASSERT_TRUE(merge(directory.path(), with_analyses()));
  check(directory / "merged.h5");
}

TEST(MergedFileInPython, HoldsItAfterEventsWereMoved) {
  SyntheticRun run{3};
  for (std::uint64_t i = 1; i < 200; ++i) {
    run[0]->send({1000 * i, 1000 * i + 10}, 1, 1, 8);
    run[1]->receive({1000 * i - 300, 1000 * i - 20}, 0, 1, 8);
    for (std::size_t r = 0; r < 3; ++r)
      run[r]->collective(CallId::Barrier, {1000 * i + 100 + 50 * r, 1000 * i + 160 + 30 * r});
  }
  const auto outcome = run.merge();
  ASSERT_TRUE(outcome) << outcome.error().what;
  ASSERT_GT(outcome->summary.reversed_before, 0U);
  check(run.merged());
}

}  // namespace
}  // namespace meridian::test
