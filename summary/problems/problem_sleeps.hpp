// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ranks that are late because they do not run, although they had a processor.

#include <cstdint>
#include <string>
#include <vector>

#include "summary/measures.hpp"

namespace meridian {

/// " In 1.50 s of that it does not run: ..."; empty if the rank runs nearly all of its time outside MPI. Of a rank that waits for its own
/// threads: " In 1.50 s of that it waits, and other threads of the rank compute."
std::string describe_sleep(const Summary& summary, const Load& load, const RankLoad& rank);

/// Whether these ranks are outside MPI for longer than the others mostly because they do not run meanwhile, nor do
/// other threads of theirs compute for longer: less work would not help.
bool is_late_by_sleep(const Summary& summary, const Load& load, const std::vector<std::int32_t>& ranks);

/// "Find out what stops rank 1, or what it waits for: ..."
std::string sleep_remedy(const std::vector<std::int32_t>& ranks);

}  // namespace meridian
