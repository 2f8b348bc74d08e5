// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/rank_context.hpp"

namespace meridian {

/// Decides which messages and collectives of one rank may be matched: not those of kinds that were filtered out, nor
/// those after lost calls, whose numbers in their channels are unknown. The rest is call.switched_off.
class RecordedSides {
 public:
  explicit RecordedSides(const RankContext& at);

  /// Whether any calls of this rank were lost.
  bool has_lost_calls() const noexcept { return !unsure_from_.empty(); }
  /// Whether calls on the communicator may have been lost before this one. Then nothing later on it is matched.
  bool is_unsure(const Call& call, const LocalComm& comm) {
    return has_lost_calls() && call.enter_ticks >= unsure_from_[comm.number] && give_up(comm);
  }
  /// The same for the program's own layers.
  bool is_unsure(const Call& call);
  /// Whether a message is not matched. bytes: negative when unknown.
  bool is_left_out(const Call& call, const LocalComm& comm, bool is_send, std::int64_t bytes) {
    return is_unsure(call, comm) || is_filtered(is_send, bytes);
  }

  /// Posts a receive. One whose message may have been filtered out by size takes its place as one that may be
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
