// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "papi/counter_plan.hpp"

namespace meridian {

/// The time of one reading of the plan's counters on the calling thread, in ns; a call takes two. The median of short series.
/// nullopt: they cannot be started.
std::optional<double> reading_cost_ns(const CounterPlan& plan);

}  // namespace meridian
