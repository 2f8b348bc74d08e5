// SPDX-License-Identifier: Apache-2.0
#include "analysis/paths/path_walk.hpp"

#include <algorithm>

namespace meridian {

Status walk_critical_path(SpilledStacks<WaitSpan>& waits, std::span<const LocationLife> lives, std::uint32_t location,
                          std::int64_t begin_ns, std::int64_t end_ns,
                          const std::function<Status(const PathVisit&)>& sink) {
  std::int64_t t = end_ns;
  while (t > begin_ns) {
    // Waits that end later are behind the path. Each wait is taken once at most, so the walk comes to an end.
    const WaitSpan* wait = nullptr;
    for (;;) {
      MERIDIAN_TRY(wait, waits.top(location));
      if (wait == nullptr || wait->end_ns <= t) break;
      waits.pop(location);
    }
    const std::int64_t birth_ns = std::max(lives[location].begin_ns, begin_ns);
    if (wait != nullptr && wait->end_ns >= birth_ns && wait->end_ns > begin_ns) {
      const WaitSpan taken = *wait;
      waits.pop(location);
      if (taken.end_ns < t) MERIDIAN_TRY_DO(sink({taken.end_ns, t, location, false}));
      t = taken.end_ns;
      location = taken.causer;
      continue;
    }
    const std::int64_t from_ns = std::min(birth_ns, t);
    if (from_ns < t) MERIDIAN_TRY_DO(sink({from_ns, t, location, false}));
    t = from_ns;
    if (t <= begin_ns) break;
    if (lives[location].creator == kNoLocation) return sink({begin_ns, t, location, true});
    location = lives[location].creator;
  }
  return {};
}

}  // namespace meridian
