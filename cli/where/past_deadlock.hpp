// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "summary/summary.hpp"

namespace meridian {

/// Adds the finding that ranks waited for one another when the program was ended: what `meridian where` reports of its trace. Not
/// for a program that ended because of one of its ranks.
void add_past_deadlock(const std::filesystem::path& directory, Summary& summary);

}  // namespace meridian
