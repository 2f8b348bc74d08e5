// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "analysis/analyses.hpp"
#include "merged/merged_trace.hpp"
#include "merger/merge.hpp"

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

}  // namespace meridian::test
