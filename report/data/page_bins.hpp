// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "report/data/levels/row_levels.hpp"
#include "report/data/levels/slot_levels.hpp"

namespace meridian {

/// Adds `bins`, `bin_ns`, `shares`, `bin_calls` and `bin_longest` of docs/REPORT.md.
///
/// threads  [row]: how many threads the row is the mean of; empty: one each
void add_bins(const RowLevels& levels, std::size_t rows, std::span<const std::size_t> threads,
              nlohmann::ordered_json& json);

/// `bins`, `bin_ns` and `shares` of many rows in little space: shares are rounded to fifteenths.
nlohmann::ordered_json coarse_bins(const RowLevels& levels, std::size_t rows);

/// `bins`, `bin_ns` and `shares` of slots. threads: [row], as above, of all rows.
nlohmann::ordered_json slot_bins(const SlotLevels& levels, std::span<const std::size_t> threads);

}  // namespace meridian
