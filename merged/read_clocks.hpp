// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merged/model/clock_bounds.hpp"
#include "merged/model/clock_report.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// errors  damaged, io. A file without /clocks gives an empty report.
Result<ClockReport> read_clock_report(hid_t file);
/// errors  not_found: the clock model gives no bounds; damaged, io.
Result<ClockBounds> read_clock_bounds(hid_t file);

}  // namespace meridian
