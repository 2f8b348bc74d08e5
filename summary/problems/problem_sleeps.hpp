// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ranks that are late because they do not run, although they had a processor.

#include <cstdint>
#include <string>
#include <vector>

#include "summary/measures.hpp"

namespace meridian {

/// " In 1.50 s of that it does not run: ..."; empty if the rank runs nearly all of its time outside MPI.
std::string describe_sleep(const RankLoad& rank);

/// Whether these ranks are outside MPI for longer than the others mostly because they do not run meanwhile: less work would not help.
bool is_late_by_sleep(const Load& load, const std::vector<std::int32_t>& ranks);

/// "Find out what stops rank 1, or what it waits for: ..."
std::string sleep_remedy(const std::vector<std::int32_t>& ranks);

}  // namespace meridian
