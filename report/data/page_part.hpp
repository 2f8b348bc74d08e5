// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "merged/merged_trace.hpp"
#include "report/data/timeline_rows.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A part of the timeline that a page asks for.
struct PartRequest {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::vector<PageRow> rows;
};

/// Largest number of rows in a request, and of events one by one in an answer.
inline constexpr std::size_t kMostPartRows = 256;
inline constexpr std::uint64_t kMostPartEvents = 60'000;

/// "from=0&to=1000&rows=0,5,17.2": rows are numbers of rows, or rank and thread.
/// errors  invalid_argument: it is malformed, or names a row that there is not
Result<PartRequest> parse_part(std::string_view query, const TimelineRows& rows, const MergedDefinitions& definitions);

/// What some rows did in bins of a part of the run, and their events if there are at most kMostPartEvents;
/// docs/REPORT.md has the format. Reads the events of that time. errors: damaged; io.
Result<nlohmann::ordered_json> page_part(const MergedTrace& trace, const PartRequest& request);

}  // namespace meridian
