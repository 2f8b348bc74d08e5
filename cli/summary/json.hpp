// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "summary/summary.hpp"

namespace meridian {

inline constexpr int kSummaryJsonVersion = 1;

/// The summary as one JSON object, described in docs/SUMMARY.md. Numbers are exact; NaN and infinity become null.
/// Invalid UTF-8 is replaced. Ends with a line end.
std::string summary_json(const Summary& summary);

/// One JSON object with the findings of the summary only.
std::string findings_json(const Summary& summary);

}  // namespace meridian
