// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/waits/collective_causes.hpp"
#include "analysis/waits/wait_functions.hpp"
#include "analysis/waits/wait_sums.hpp"
#include "analysis/walk/event_window.hpp"

namespace meridian {

/// Finds the waits in collectives, from the last instance to the first.
class CollectiveWaits {
 public:
  CollectiveWaits(const MergedTrace& trace, const EventWindow& window, const WaitFunctions& functions, WaitSums& sums,
                  OverlappedParts& overlapped)
      : window_{window},
        functions_{functions},
        sums_{sums},
        overlapped_{overlapped},
        parts_left_{trace.parts()},
        next_{trace, window, functions} {}

  /// Instances whose calls are all at hand; those with a longer call wait for a later batch. all  whether at hand or
  /// not
  Status look(bool all);

 private:
  Status look_at_instance();
  Status wait_in(std::size_t i, const FoundWait& cause);
  void look_at_completion(const WindowEvent& latest);

  const EventWindow& window_;
  const WaitFunctions& functions_;
  WaitSums& sums_;
  OverlappedParts& overlapped_;
  std::uint64_t parts_left_;
  CollectiveCauses next_;  // the next instance
};

}  // namespace meridian
