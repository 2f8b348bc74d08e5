// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "summary/measures.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Waits of other ranks, for a rank that is late because of its calls of a function.
struct ChargedWaits {
  double total_s = 0;
  std::int32_t rank = -1;  ///< of most of them
  double most_s = 0;       ///< in one place of waits, for that rank

  void add(double more_s, std::int32_t late) {
    total_s += more_s;
    if (more_s <= most_s) return;
    most_s = more_s;
    rank = late;
  }
};

/// Adds problems whose cost are waits: for ranks that come late, and for locks. Waits that are charged to calls on files are no
/// problems of their own but returned, by function.
std::map<std::string, ChargedWaits> find_waiting(const Summary& summary, const Load& load,
                                                 std::vector<ProblemSummary>& problems);

/// Share of its cost at which a problem counts as known from others with the same cause.
inline constexpr double kKnownShare = 0.5;

/// Whether a thread waits for other threads of its rank.
bool is_of_threads(const WaitSummary& row);

/// "halo.c:70"; module and offset without a line.
std::string place_text(const SiteSummary& site);

/// " (halo.c:70)"; empty without a place.
std::string in_brackets(const std::string& place);

}  // namespace meridian
