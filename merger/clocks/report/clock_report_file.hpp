// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/clocks/report/clock_report.hpp"
#include "trace/format/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// FORMAT.md, /clocks.
Status write_clock_report(hid_t file, const ClockReport& report);

}  // namespace meridian
