// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "summary/summary.hpp"

namespace meridian {

/// Fills in instructions, ipc and frequency of the run or of a region from the counters of the summary, if it has them.
void add_counters(const Summary& summary, EfficiencySummary& row);

}  // namespace meridian
