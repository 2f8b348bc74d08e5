// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/waits/collective_causes.hpp"
#include "analysis/waits/wait_functions.hpp"
#include "analysis/waits/wait_sums.hpp"
#include "analysis/walk/event_window.hpp"
#include "analysis/walk/later_receives.hpp"

namespace meridian {

/// Finds the waits for messages, and those of polls for collectives, from the last call to the first.
class MessageWaits {
 public:
  MessageWaits(const MergedTrace& trace, const EventWindow& window, const WaitFunctions& functions, WaitSums& sums,
               OverlappedParts& overlapped)
      : trace_{trace},
        window_{window},
        functions_{functions},
        sums_{sums},
        overlapped_{overlapped},
        collectives_{CollectiveCauses{trace, window, functions}},
        polls_(trace.definitions().locations.size()) {
    const std::vector<MergedCommunicator>& comms = trace.definitions().communicators;
    layer_of_comm_.resize(comms.size());
    for (std::size_t i = 0; i < comms.size(); ++i)
      if (comms[i].kind == "user") layer_of_comm_[i] = layers_++;
    later_.resize(layers_);
  }

  /// event    with comm, peer and tag
  /// links    those of kinds `sent`, `received` and `left`
  /// awaited  of the event
  Status look(const MergedEvent& event, std::span<const EventLink> links, std::span<const EventAwaited> awaited);

 private:
  /// The message that the next calls of a location, in reverse order, wait for if they are polls.
  struct PollFor {
    Poll poll = Poll::no;
    FoundWait wait;
    bool is_counted = false;
  };
  struct Channel {
    std::int32_t rank = 0, source = 0, comm = 0, tag = 0;
    bool operator==(const Channel&) const = default;
  };
  struct ChannelHash {
    std::size_t operator()(const Channel& channel) const noexcept;
  };
  std::int32_t rank_of(const WindowEvent& event) const;
  /// 0 for messages of MPI, another number for each layer of the program.
  std::size_t layer_of(const MergedEvent& event) const {
    return event.comm >= 0 && static_cast<std::size_t>(event.comm) < layer_of_comm_.size()
               ? layer_of_comm_[static_cast<std::size_t>(event.comm)]
               : 0;
  }
  /// A message that a call receives: its send, and the row of the call that posted the receive.
  struct Received {
    WindowEvent send;
    std::uint64_t post = 0;
  };
  Result<WaitKind> kind_of(const Received& received, const MergedEvent& receive) const;
  Status keep_longest(const WindowEvent& here, std::optional<FoundWait>& of_messages);
  Status polled_for(const WindowEvent& here, std::uint64_t part);
  Status look_at_poll(const WindowEvent& here, const WaitFunction& function);
  Status look_at_probe(const MergedEvent& event);

  const MergedTrace& trace_;
  const EventWindow& window_;
  const WaitFunctions& functions_;
  WaitSums& sums_;
  OverlappedParts& overlapped_;
  KeptCauses collectives_;
  std::vector<std::size_t> layer_of_comm_;
  std::size_t layers_ = 1;
  std::vector<LaterReceives>
      later_;                   // [layer]: a message of the program contains messages of MPI, in no order with them
  std::vector<PollFor> polls_;  // [location]
  std::unordered_map<Channel, WindowEvent, ChannelHash> sends_;  // of the next message that is received
  std::vector<Received> received_;                               // the messages of a call
  std::vector<std::uint64_t> parts_;  // of the collectives that it completes, the longest wait first
};

}  // namespace meridian
