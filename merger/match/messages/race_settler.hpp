// SPDX-License-Identifier: Apache-2.0
#pragma once

// Channels on which several threads of a process send or receive at the same time. MPI orders two calls only if one
// ended before the other began, so the order of the others is found when all of them are known.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "merger/match/messages/channel.hpp"
#include "merger/match/messages/receive_table.hpp"
#include "merger/match/messages/waiting_receives.hpp"

namespace meridian {

/// Puts the sends and places of channels between threads in their final order. Calls that overlap form a stretch: those
/// before it and after it cannot be meant. A stretch is settled when all calls in it have ended, or, if it grows too
/// long, from its begin on.
class RaceSettler {
 public:
  RaceSettler(ReceiveTable& receives, WaitingReceives& waiting) : receives_{receives}, waiting_{waiting} {}

  /// races  [ranks present]: several threads of the rank send or receive. If this is not called, no rank races.
  void set_racing(std::vector<bool> races) {
    now_.resize(races.size());
    due_.resize(races.size());
    stalled_.resize(races.size());
    races_ = std::move(races);
  }
  bool may_race(std::uint32_t source, std::uint32_t dest) const noexcept {
    return !races_.empty() && (races_[source] || races_[dest]);
  }

  /// Places whose final order is known now; count 0: not yet.
  struct Settled {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// Settles the stretch of the place, whose receive is complete and which has a send. It may settle only earlier places,
  /// and can then be called again.
  Settled settle(Channel& at, std::size_t place, bool has_one_clock);

  /// The rank's calls up to this time are known. Calls retry(receive, number of its place) for each place that settle()
  /// could not settle before.
  template <class Retry>
  void advance(std::uint32_t rank, std::uint64_t ticks, Retry&& retry) {
    now_[rank] = ticks;
    while (!due_[rank].empty() && due_[rank].top().ticks <= ticks) {
      const Due due = due_[rank].top();
      due_[rank].pop();
      retry(due.receive, due.number);
    }
  }
  /// The same after a receive of the rank is no longer waiting for its channel.
  template <class Retry>
  void retry_stalled(std::uint32_t rank, Retry&& retry) {
    if (stalled_.empty() || stalled_[rank].empty()) [[likely]]
      return;
    for (const Due& due : std::exchange(stalled_[rank], {})) retry(due.receive, due.number);
  }
  /// All ranks have ended: settle() no longer waits for anything.
  void end() noexcept { is_over_ = true; }

 private:
  struct Due {
    std::uint64_t ticks = 0;
    ReceiveId receive = kNoReceive;
    std::uint64_t number = 0;  // of its place; another one: the receive has been settled
    friend bool operator>(const Due& a, const Due& b) noexcept { return a.ticks > b.ticks; }
  };

  bool is_closed(const Channel& at, std::size_t end, std::size_t place);
  bool is_complete(const Channel& at, std::size_t begin, std::size_t end) const noexcept;
  void put_in_order(Channel& at, std::size_t begin, std::size_t end, std::size_t count, bool has_one_clock);

  ReceiveTable& receives_;
  WaitingReceives& waiting_;
  std::vector<bool> races_;                                                      // [ranks present]; empty: none
  std::vector<std::uint64_t> now_;                                               // [ranks present] ticks
  std::vector<std::priority_queue<Due, std::vector<Due>, std::greater<>>> due_;  // [ranks present]: at the end of calls
  std::vector<std::vector<Due>> stalled_;                                        // [ranks present]
  bool is_over_ = false;
};

}  // namespace meridian
