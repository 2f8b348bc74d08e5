// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of a summary as bytes, for another process of the same build. Unlike those of a file, the values are exact in any
// case: texts may have any bytes.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// tables  names of SummaryTable
std::vector<std::uint8_t> summary_bytes(const Summary& summary, std::span<const std::string_view> tables);

/// Replaces the same tables of `summary`. False: the bytes are not those of these tables; some may have been replaced.
bool take_summary_bytes(std::span<const std::uint8_t> bytes, std::span<const std::string_view> tables,
                        Summary& summary);

}  // namespace meridian
