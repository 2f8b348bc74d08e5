// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/match/calls/rank_context.hpp"
#include "merger/match/calls/recorded_sides.hpp"

namespace meridian {

/// Tracks the user events of one rank: their names, counters, and messages of user layers.
class UserTracker {
 public:
  UserTracker(const RankContext& at, RecordedSides& sides) : at_{at}, sides_{sides} {}

  void enter(const Call& call, EventRow& row);

 private:
  void enter_message(const Call& call, const UserDefinition& definition, EventRow& row);

  const RankContext& at_;
  RecordedSides& sides_;
};

}  // namespace meridian
