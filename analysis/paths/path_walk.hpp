// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "analysis/walk/location_states.hpp"
#include "trace/containers/spilled_stacks.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A stretch of the critical path on one thread.
struct PathVisit {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t location = 0;
  bool is_before_begin = false;  ///< the thread has not begun yet, and nobody is known to have made it
};

/// The critical path from `end_ns` on a thread back to `begin_ns`. Where a wait ends it goes on with the thread that ended
/// it, where a thread begins with the one that made it. Its visits tile [begin_ns, end_ns], the last one first.
///
/// waits  of each thread, in order of time, disjoint; they are used up
/// lives  all beginnings known; a location that only has callbacks of another one begins at INT64_MAX, made by that one
/// Source: J. K. Hollingsworth, "An online computation of critical path profiling", SPDT 1996, and D. Boehme et al.,
/// "Scalable critical-path based performance analysis", IPDPS 2012: the path crosses no wait, so it is a longest one.
Status walk_critical_path(SpilledStacks<WaitSpan>& waits, std::span<const LocationLife> lives, std::uint32_t location,
                          std::int64_t begin_ns, std::int64_t end_ns,
                          const std::function<Status(const PathVisit&)>& sink);

}  // namespace meridian
