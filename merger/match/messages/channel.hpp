// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "merger/match/messages/open_sends.hpp"
#include "merger/model/event_ref.hpp"
#include "trace/containers/index_map.hpp"
#include "trace/containers/ring_queue.hpp"

namespace meridian {

using ReceiveId = std::uint32_t;
inline constexpr ReceiveId kNoReceive = 0xffffffff;

/// Messages with equal keys do not overtake each other.
struct ChannelKey {
  std::uint32_t comm = 0;    ///< CommId
  std::uint32_t source = 0;  ///< group rank of the sender, combined with the bits below
  std::uint32_t dest = 0;    ///< group rank of the receiver
  std::int32_t tag = 0;
  std::uint32_t epoch = 0;                                 ///< of the calls on both sides (RecordingGaps)
  static constexpr std::uint32_t kFromRemote = 1U << 31;   ///< the sender is in an intercommunicator's remote_group
  static constexpr std::uint32_t kPartitioned = 1U << 30;  ///< partitioned messages only match each other
  friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
  std::size_t hash() const noexcept {
    const std::uint64_t ends = std::uint64_t{source} << 32 | dest;
    const std::uint64_t what = std::uint64_t{comm} << 32 | static_cast<std::uint32_t>(tag);
    return static_cast<std::size_t>(mix(ends * 0x9e3779b97f4a7c15ULL ^ what) ^ epoch * 0xff51afd7ed558ccdULL);
  }
};

/// The time of a call in its thread; MPI does not order overlapping calls of different threads.
struct CallSpan {
  std::uint32_t thread = 0;
  std::uint64_t enter_ticks = 0;
  std::uint64_t leave_ticks = 0;
  /// Whether `next`, which began later, is in another thread and began before this one's end.
  bool overlaps(const CallSpan& next) const noexcept { return next.thread != thread && next.enter_ticks < leave_ticks; }
};

/// A message in transit.
struct SentMessage {
  EventRef call;
  CallSpan span;
  std::int64_t enter_ns = 0;
  std::uint64_t bytes = 0;                ///< kUnknownBytes: the call did not return
  std::uint64_t number = 0;               ///< ascending in its channel, never reused
  bool is_uncertain = false;              ///< a cancel was requested, and its outcome is unknown
  bool follows_all = true;                ///< all earlier sends of the channel had ended before it began
  bool is_cancel_open = false;            ///< the program has freed the request, so that the outcome remains unknown
  std::uint32_t open = OpenSends::kNone;  ///< its request, until both ends are known
};
inline constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};

/// A receive's place in its channel, in posting order.
struct ReceivePlace {
  ReceiveId receive = kNoReceive;  ///< kNoReceive: already paired
  CallSpan span;                   ///< of the call that posted it
  std::uint64_t number = 0;        ///< ascending in its channel, never reused
  bool follows_all = true;         ///< all earlier posts of the channel had ended before it began
  bool is_settled = false;         ///< races: this place and the send at its index are in their final order
};

/// The pending messages and receives from one sender to one receiver: the i-th message belongs to the i-th place.
struct Channel {
  ChannelKey key;
  RingQueue<SentMessage> sends;
  RingQueue<ReceivePlace> places;
  std::uint32_t uncertain = 0;  ///< sends and places that a cancel may remove
  std::uint32_t source = 0;     ///< index of the sending rank
  std::uint32_t dest = 0;       ///< index of the receiving rank
  std::uint64_t messages = 0;   ///< number of messages sent since the last count()
  std::uint64_t bytes = 0;
  std::uint64_t sends_before = 0;   ///< before the trace begins: the next places get these messages
  std::uint64_t places_before = 0;  ///< likewise: they get the next messages
  bool may_race = false;            ///< one of its ranks has several threads that send or receive
  bool has_overlaps = false;  ///< threads of one side called at the same time, so the order of their calls is a choice
  CallSpan last_send;         ///< the call that ended last; likewise last_post
  CallSpan last_post;

  bool is_idle() const noexcept { return sends.empty() && places.empty() && sends_before + places_before == 0; }
  /// Index of the place with this number, or of its position if it is gone.
  std::size_t find_place(std::uint64_t number) const noexcept {
    std::size_t low = 0;
    for (std::size_t high = places.size(); low < high;) {
      const std::size_t middle = (low + high) / 2;
      if (places[middle].number < number)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  void erase_send(std::size_t index) noexcept {
    if (index + 1 < sends.size()) sends[index + 1].follows_all |= sends[index].follows_all;
    sends.erase(index);
  }
  void erase_place(std::size_t index) noexcept {
    if (index + 1 < places.size()) places[index + 1].follows_all |= places[index].follows_all;
    places.erase(index);
  }
  /// Index of the message; sends.size(): it is gone.
  std::size_t find_send(std::uint64_t number) const noexcept {
    std::size_t place = 0;
    while (place < sends.size() && sends[place].number != number) ++place;
    return place;
  }
};

}  // namespace meridian
