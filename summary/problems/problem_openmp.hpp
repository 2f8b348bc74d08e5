// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// The parallel regions in which this rank loses most at barriers of its OpenMP threads; nullptr: it loses nothing.
const OpenmpRegionSummary* worst_openmp_region(const Summary& summary, std::int32_t rank);

/// Adds a problem for each place at which the threads of teams wait for each other. With the waits of other ranks,
/// `victims_s`, for the rank of the region.
ProblemSummary describe_openmp_imbalance(const OpenmpRegionSummary& region, double victims_s);

}  // namespace meridian
