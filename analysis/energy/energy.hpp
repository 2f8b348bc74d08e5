// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merged/merged_trace.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Fills the table of the energy of zones for a trace whose events have no times. errors: damaged; io
Status find_energy_of_profile(const MergedTrace& trace, Summary& summary);

}  // namespace meridian
