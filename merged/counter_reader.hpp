// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

struct MergedCounter {
  std::string name;  ///< "PAPI_TOT_INS"
  std::string unit;  ///< "1", "us"
};

/// One counter in one call.
struct CallCount {
  std::int64_t in_call = 0;
  std::int64_t between = 0;  ///< since the counted call of the thread before it
};

/// The counters of a merged file; none if it has none. errors: damaged; io.
Result<std::vector<MergedCounter>> read_counter_names(const std::filesystem::path& merged);

/// Calls look(row, counts) for each call with counters, thread by thread, in order of time; row is that of the event, and counts
/// has an element for each counter. Memory is bounded. errors: damaged; io; those of look.
Status read_counters(const std::filesystem::path& merged,
                     const std::function<Status(std::uint64_t row, std::span<const CallCount> counts)>& look);

}  // namespace meridian
