// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clock data of a merged file, and the forms in which `meridian clocks` shows it.

#include <filesystem>
#include <string>

#include "merged/model/clock_bounds.hpp"
#include "merged/model/clock_report.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct ClockPageData {
  Summary summary;
  ClockReport report;
  ClockBounds bounds;              ///< no domains: the model gives none
  std::vector<std::string> hosts;  ///< [domain]: the host of its first row in the clock table
  std::uint32_t reference = 0;     ///< domain
  std::size_t domains() const noexcept { return hosts.size(); }
};

/// errors  those of opening a merged file, and of its summary and clock report
Result<ClockPageData> read_clock_view(const std::filesystem::path& merged);

/// One self-contained HTML page of at most some hundred KB, regardless of the length of the run and the number of
/// hosts.
std::string clock_page(const ClockPageData& view);
/// The complete data as JSON.
std::string clock_json(const ClockPageData& view);

}  // namespace meridian
