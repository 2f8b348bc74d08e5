// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merged/merged_trace.hpp"

namespace meridian {

/// Shares of a thread's time by bin and class, to compare threads.
struct ThreadProfile {
  std::uint32_t location = 0;
  std::vector<float> shares;
};

/// A row of the timeline: a thread, or threads that behave alike.
struct PageRow {
  std::uint32_t typical = 0;             ///< the thread; of a group, the one that is most like its mean
  std::vector<std::uint32_t> locations;  ///< all of them, by rank and thread
  std::uint32_t outlier = 0;             ///< of a group, the one that is least like its mean
};

/// Rows for all threads, by rank and thread; if there are more than `most`, those of `alone` (fewer than `most`) have rows
/// of their own, and others are groups of similar ones, which lie by their first thread. Farthest-point clustering: each
/// next group begins with the thread that is farthest from all others.
std::vector<PageRow> page_rows(const MergedDefinitions& definitions, std::span<const ThreadProfile> threads,
                               std::size_t most, std::span<const std::uint32_t> alone = {});

}  // namespace meridian
