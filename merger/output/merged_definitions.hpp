// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "merged/model/clock_bounds.hpp"
#include "merged/model/clock_report.hpp"
#include "merged/model/definitions.hpp"
#include "merger/model/trace.hpp"
#include "merger/sites/debug_info.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The meaning of the numbers in the rows of a trace.
MergedDefinitions definitions_of(const Trace& trace, std::span<const SourcePlace> places);

/// Writes the small tables of merged.h5 that define the numbers in its columns.
Status write_merged_definitions(hid_t file, const MergedDefinitions& definitions, const ClockBounds& bounds);
/// Writes /clocks.
Status write_clock_report(hid_t file, const ClockReport& report);

}  // namespace meridian
