// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "merger/model/clocks.hpp"
#include "merger/repair/repair_tables.hpp"

namespace meridian {

/// The latest time at which an event that its clock puts at `x` can have happened (T1), ns; kNever without a bound.
inline std::int64_t latest_time(const Clocks& clocks, std::uint32_t chain, std::int64_t x) {
  if (chain >= clocks.domain_of.size()) return kNever;
  const auto bound = clocks.bounds.at(clocks.domain_of[chain], x, BoundLevel::t1);
  return bound ? x + bound->late_ns : kNever;
}

/// The time that passed between two events, ns: where the clock was set in between, without the step. A move that spans a
/// step would otherwise last beyond it.
inline std::int64_t passed_between(const Clocks& clocks, std::uint32_t chain, std::int64_t from_ns,
                                   std::int64_t to_ns) {
  std::int64_t passed = to_ns - from_ns;
  if (chain >= clocks.domain_of.size() || clocks.domain_of[chain] >= clocks.jumps.size()) return passed;
  for (const ClockJump& jump : clocks.jumps[clocks.domain_of[chain]])
    if (from_ns <= jump.begin_ns && to_ns >= jump.end_ns) passed -= jump.end_ns - jump.begin_ns - jump.passed_ns;
  return passed;
}

}  // namespace meridian
