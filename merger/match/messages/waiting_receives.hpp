// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "merger/match/messages/receive_table.hpp"

namespace meridian {

/// Receives that have no place in a channel yet, in posting order for each rank and communicator: those from any source
/// or with any tag, until their message is known, and later ones whose messages an earlier waiting receive could take.
class WaitingReceives {
 public:
  /// comms  [ranks present]: number of communicators of the rank.
  WaitingReceives(ReceiveTable& receives, std::span<const std::size_t> comms);

  /// Whether a receive that is posted now has to wait.
  bool has_to_wait(const Receive& receive) const noexcept {
    const Queue& queue = queues_[receive.rank_index][receive.comm_number];
    return !receive.has_channel() || (!queue.waiting.empty() && is_blocked(queue, queue.waiting.size(), receive));
  }
  void add(ReceiveId id);

  /// Called when the receive's source and tag are known. Returns the receives that no longer have to wait, in posting
  /// order, valid until the next call.
  std::span<const ReceiveId> set_known(ReceiveId id);
  /// The same when a receive is removed. Does nothing for one that does not wait.
  std::span<const ReceiveId> remove(ReceiveId id);

  /// Called after the last call of the rank. Calls drop(id) for each receive whose message will never be known, and
  /// place(id) for each that no longer has to wait.
  template <class Drop, class Place>
  void end_rank(std::uint32_t rank_index, Drop&& drop, Place&& place) {
    for (Queue& queue : queues_[rank_index]) {
      for (ReceiveId& id : queue.waiting) {
        if (receives_[id].has_channel()) continue;
        drop(id);
        id = kNoReceive;
      }
      released_.clear();
      release(queue, 0);
      for (const ReceiveId id : released_) place(id);
    }
  }

  /// Whether a receive that was posted before `ticks` may still get a place in this one's channel.
  bool may_precede(ReceiveId id, std::uint64_t ticks) const noexcept;

  /// The receive may have completed outside the recording: later ones that could have got its message become silent.
  void silence_behind(ReceiveId id);

 private:
  struct Queue {
    std::vector<ReceiveId> waiting;  // in posting order
    std::size_t known = 0;           // number of these whose channel is known
  };

  Queue& queue_of(ReceiveId id) { return queues_[receives_[id].rank_index][receives_[id].comm_number]; }
  bool is_blocked(const Queue& queue, std::size_t place, const Receive& receive) const noexcept;
  void release(Queue& queue, std::size_t from);

  ReceiveTable& receives_;
  std::vector<std::vector<Queue>> queues_;  // [rank][communicator of the rank]
  std::vector<ReceiveId> released_;
};

}  // namespace meridian
