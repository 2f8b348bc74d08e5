// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "cli/query/result_writer.hpp"
#include "query/query_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Conditions on events, all of which hold.
struct EventFilter {
  RowWindow window;               ///< in which the calls are in progress; their ranks
  std::vector<bool> functions{};  ///< [call]; empty: all
  std::optional<std::uint32_t> thread{};
  std::optional<std::int32_t> peer{};  ///< of waits, the rank that was waited for
  std::int64_t least_ns = 0;           ///< duration; of waits, the time waited
  std::uint64_t most_rows = std::numeric_limits<std::uint64_t>::max();
};

/// Prints the events in the order of time.
Status list_events(const QueryTrace& trace, const EventFilter& filter, ResultForm form, OutputBuffer& output);
/// Prints the waits of calls.
Status list_waits(const QueryTrace& trace, const EventFilter& filter, ResultForm form, OutputBuffer& output);

}  // namespace meridian
