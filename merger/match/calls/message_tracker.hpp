// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/calls/rank_context.hpp"
#include "merger/match/calls/recorded_sides.hpp"
#include "merger/match/calls/request_tracker.hpp"
#include "trace/containers/index_map.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// Tracks the sends, receives and probes of one rank: fills in their rows, posts and completes them, and tracks message
/// handles from MPI_Mprobe to MPI_Mrecv.
class MessageTracker {
 public:
  MessageTracker(const RankContext& at, RecordedSides& sides, RequestTracker& requests)
      : at_{at}, sides_{sides}, requests_{requests} {}

  void enter_send(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending);
  /// A receive that is completed by a request.
  void enter_receive(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending);
  /// The record contains its message, so it gets its place at its enter.
  void enter_blocking_receive(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending);
  void enter_sendrecv(const Call& call, EventRow& row, Pending& pending);
  /// MPI_Send_init, MPI_Recv_init and their kin.
  void enter_init(const Call& call, EventRow& row, Pending& pending);
  /// takes_message  MPI_Mprobe
  void enter_probe(const Call& call, EventRow& row, Pending& pending, bool takes_message);
  /// Mrecv, Imrecv: the message handle replaces the communicator.
  void enter_matched_receive(const Call& call, EventRow& row, Pending& pending);

  void leave_receive(const Call& call, Pending& pending);
  void leave_matched_probe(const Call& call, const Pending& pending);
  /// Makes the request of a call that has one.
  void make_request(const Call& call, const CallFacts& what, Pending& pending);

 private:
  /// The message that MPI_Mprobe has found.
  struct Message {
    const LocalComm* comm = nullptr;
    ReceiveId receive = kNoReceive;
    std::size_t stretch = 0;
    bool is_any_source = false;  ///< of the probe
  };

  const RankContext& at_;
  RecordedSides& sides_;
  RequestTracker& requests_;
  IndexMap<HandleKey> by_handle_;  // index in messages_
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
};

}  // namespace meridian
