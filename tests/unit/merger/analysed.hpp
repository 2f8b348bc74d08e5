// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "analysis/analyses.hpp"
#include "merged/merged_trace.hpp"
#include "merger/merge.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {

inline std::int64_t ns(double seconds) { return std::llround(seconds * 1e9); }

/// Merging as the command does it: with all analyses, and the waits in the file.
inline MergeOptions with_analyses(MergeOptions options = {}) {
  options.analyse = [](std::int64_t file, WaitSink& waits, Summary& summary) -> Status {
    MERIDIAN_TRY(const MergedTrace trace, MergedTrace::borrow(file));
    return run_analyses(trace, summary, &waits);
  };
  return options;
}

/// The summary of such a merge.
inline Summary analysed(SyntheticRun& run) {
  auto outcome = run.merge(with_analyses());
  EXPECT_TRUE(outcome) << outcome.error().what;
  return outcome ? outcome->summary : Summary{};
}

}  // namespace meridian::test
