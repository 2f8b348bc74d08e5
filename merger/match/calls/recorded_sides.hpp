// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/calls/rank_context.hpp"

namespace meridian {

/// Determines which messages and collectives of one rank may be matched: not those that were filtered out, nor those
/// after lost calls, whose numbers in their channels are unknown. These count as call.switched_off.
class RecordedSides {
 public:
  explicit RecordedSides(const RankContext& at);

  /// Whether any calls of this rank were lost.
  bool has_lost_calls() const noexcept { return !unsure_from_.empty(); }
  /// Whether calls on the communicator may have been lost before this one. Later calls on it are then not matched.
  bool is_unsure(const Call& call, const LocalComm& comm) {
    return has_lost_calls() && call.enter_ticks >= unsure_from_[comm.number] && give_up(comm);
  }
  /// The same for user message layers.
  bool is_unsure(const Call& call);
  /// Whether a message is not matched. bytes: negative if unknown.
  bool is_left_out(const Call& call, const LocalComm& comm, bool is_send, std::int64_t bytes) {
    return is_unsure(call, comm) || is_filtered(is_send, bytes);
  }

  /// Posts a receive. If its message may have been filtered out by size, it is posted like a receive that may be
  /// cancelled. kNoReceive: it is not matched.
  ReceiveId post(const Call& call, const LocalComm& comm, std::int32_t source, std::int32_t tag, std::uint64_t room,
                 bool is_partitioned = false);
  void complete(ReceiveId receive, const Call& call, std::int32_t source, std::int32_t tag, std::int64_t bytes);

 private:
  bool is_filtered(bool is_send, std::int64_t bytes);
  bool give_up(const LocalComm& comm);

  const RankContext& at_;
  std::vector<std::uint64_t> unsure_from_;  // [LocalComm::number] ticks (RecordingGaps); empty: no calls were lost
};

}  // namespace meridian
