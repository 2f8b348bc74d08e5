#pragma once

// All that a merged file says about its clocks, and the ways in which `meridian clocks` shows it.

#include <filesystem>
#include <string>

#include "merger/clocks/clock_bounds.hpp"
#include "merger/clocks/clock_report.hpp"
#include "trace/format/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct ClockView {
  Summary summary;
  ClockReport report;
  ClockBounds bounds;              ///< no domains: the model gives none
  std::vector<std::string> hosts;  ///< [domain]: the host of its first row in the clock table
  std::uint32_t reference = 0;     ///< domain
  std::size_t domains() const noexcept { return hosts.size(); }
};

/// errors  those of read_summary() and read_clock_report()
Result<ClockView> read_clock_view(const std::filesystem::path& merged);

/// One self-contained HTML page, some hundred KB at most, however long the run and however many the hosts.
std::string clock_page(const ClockView& view);
/// The same as data, whole.
std::string clock_json(const ClockView& view);

}  // namespace meridian
