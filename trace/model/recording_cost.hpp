// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meridian {

/// Values of Overhead::kind beyond OverheadKind: the direct cost of recording calls, measured at the start of a rank. The interval
/// of the record has the length of `count` calls.
enum class CostKind : std::uint64_t {
  call = 5,         ///< of MPI, without counters
  call_inside = 6,  ///< the part of it between enter and leave; likewise below
  other_call = 7,   ///< of a thread, a lock or the user
  other_call_inside = 8,
  poll = 9,           ///< one more poll in a phase of them
  counted_call = 10,  ///< of MPI, with counters
  counted_call_inside = 11
};

}  // namespace meridian
