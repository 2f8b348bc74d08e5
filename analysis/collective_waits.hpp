// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/event_window.hpp"
#include "analysis/wait_functions.hpp"
#include "analysis/wait_sums.hpp"

namespace meridian {

/// Finds the waits in collectives, from the last instance to the first.
class CollectiveWaits {
 public:
  CollectiveWaits(const MergedTrace& trace, const EventWindow& window, const WaitFunctions& functions, WaitSums& sums)
      : trace_{trace}, window_{window}, functions_{functions}, sums_{sums}, parts_left_{trace.parts()} {}

  /// Instances whose calls are all at hand; those with a longer call wait for a later batch. all  whether at hand or
  /// not
  Status look(bool all);

 private:
  Status look_at_instance();
  Status look_at_all_to_all(std::int32_t shape);
  Status look_at_root(std::int32_t shape);
  Status look_at_prefix();
  Status wait_in(WaitKind kind, std::size_t i, const WindowEvent& causer);
  void look_at_completion(WaitKind kind, const WindowEvent& latest);
  bool takes_part(std::size_t i, std::int32_t shape) const;

  const MergedTrace& trace_;
  const EventWindow& window_;
  const WaitFunctions& functions_;
  WaitSums& sums_;
  std::uint64_t parts_left_;
  std::vector<MergedPart> parts_;    // of the next instance
  std::vector<WindowEvent> starts_;  // [part of it]
};

}  // namespace meridian
