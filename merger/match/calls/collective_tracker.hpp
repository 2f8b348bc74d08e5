// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/match/calls/rank_context.hpp"
#include "merger/match/calls/recorded_sides.hpp"
#include "merger/match/calls/request_tracker.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// Tracks the collectives of one rank: fills in their rows, enters and leaves them, or makes their requests.
class CollectiveTracker {
 public:
  CollectiveTracker(const RankContext& at, RecordedSides& sides, RequestTracker& requests)
      : at_{at}, sides_{sides}, requests_{requests} {}

  void enter(const Call& call, const CallFacts& what, EventRow& row, Pending& pending);
  void leave(const Call& call, const CallFacts& what, Pending& pending);

 private:
  const RankContext& at_;
  RecordedSides& sides_;
  RequestTracker& requests_;
};

}  // namespace meridian
