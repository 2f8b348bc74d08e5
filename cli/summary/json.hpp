// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "summary/summary.hpp"

namespace meridian {

inline constexpr int kSummaryJsonVersion = 1;

/// The summary as one JSON object, described in docs/SUMMARY.md. Numbers are exact; NaN and infinity become null.
/// Invalid UTF-8 is replaced. Ends with a line end.
///
/// most_rows  rows of a table beyond that are left out
std::string summary_json(const Summary& summary, std::size_t most_rows = SIZE_MAX);

/// One JSON object with the findings of the summary only.
std::string findings_json(const Summary& summary);

}  // namespace meridian
