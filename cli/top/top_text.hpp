// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "live/activity.hpp"

namespace meridian {

/// A line for all ranks together, then one for each of the first `rows` ranks, in 80 columns.
/// elsewhere  number of ranks on other hosts, which are not included
std::string top_text(const std::vector<RankActivity>& ranks, std::size_t rows, std::size_t elsewhere);

/// One JSON object in one line, with a newline: docs/WHERE.md.
std::string top_json(const std::vector<RankActivity>& ranks, std::size_t elsewhere);

}  // namespace meridian
