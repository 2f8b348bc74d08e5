// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which items of several runs are the same, although source lines move.

#include <cstddef>
#include <span>
#include <vector>

#include "summary/compare/run_profile.hpp"

namespace meridian {

struct AlignedItem {
  const ProfileItem* latest = nullptr;      ///< of the last run that has it
  std::vector<const ProfileItem*> of_runs;  ///< [run]; null: the run does not have it
};

/// In the order in which the runs have them. The runs must outlive the result.
std::vector<AlignedItem> align_items(std::span<const RunProfile* const> runs);

}  // namespace meridian
