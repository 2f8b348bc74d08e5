// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "merger/clocks/report/clock_report.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// errors  not_found, damaged: the file. One that has no /clocks gives an empty report.
Result<ClockReport> read_clock_report(const std::filesystem::path& merged);

}  // namespace meridian
