#pragma once

#include <cstdint>

#include "merger/containers/index_map.hpp"
#include "merger/containers/ring_queue.hpp"
#include "merger/event_ref.hpp"

namespace meridian {

using ReceiveId = std::uint32_t;
inline constexpr ReceiveId kNoReceive = 0xffffffff;

/// Messages with equal keys never overtake one another.
struct ChannelKey {
  std::uint32_t comm = 0;    ///< CommId
  std::uint32_t source = 0;  ///< group rank of the sender, with the bits below
  std::uint32_t dest = 0;    ///< group rank of the receiver
  std::int32_t tag = 0;
  std::uint32_t epoch = 0;                                 ///< of the call on either side (RecordingGaps)
  static constexpr std::uint32_t kFromRemote = 1U << 31;   ///< the sender is in an intercommunicator's remote_group
  static constexpr std::uint32_t kPartitioned = 1U << 30;  ///< partitioned messages pair among themselves
  friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
  std::size_t hash() const noexcept {
    const std::uint64_t ends = std::uint64_t{source} << 32 | dest;
    const std::uint64_t what = std::uint64_t{comm} << 32 | static_cast<std::uint32_t>(tag);
    return static_cast<std::size_t>(mix(ends * 0x9e3779b97f4a7c15ULL ^ what) ^ epoch * 0xff51afd7ed558ccdULL);
  }
};

/// A call's time in its thread; two calls of different threads that overlap have no certain order.
struct CallSpan {
  std::uint32_t thread = 0;
  std::uint64_t enter_ticks = 0;
  std::uint64_t leave_ticks = 0;
  /// Whether `next`, which began later, is of another thread and began before this one's end.
  bool overlaps(const CallSpan& next) const noexcept { return next.thread != thread && next.enter_ticks < leave_ticks; }
  /// Whether this call certainly came first.
  bool precedes(const CallSpan& other) const noexcept {
    return thread == other.thread ? enter_ticks < other.enter_ticks : leave_ticks <= other.enter_ticks;
  }
};

/// A message on its way.
struct SentMessage {
  EventRef call;
  CallSpan span;
  std::int64_t enter_ns = 0;
  std::uint64_t bytes = 0;    ///< kUnknownBytes: the call did not return
  std::uint64_t number = 0;   ///< ascending in its channel, never used again
  bool is_uncertain = false;  ///< asked to be cancelled, and not known whether it was
};
inline constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};

/// A receive that stands in line for the channel's messages, in posting order.
struct ReceivePlace {
  ReceiveId receive = kNoReceive;  ///< kNoReceive: has got its message
  CallSpan span;                   ///< of the call that posted it
  std::uint64_t number = 0;        ///< ascending in its channel, never used again
};

/// What is under way from one sender to one receiver: the i-th message belongs to the i-th place.
struct Channel {
  ChannelKey key;
  RingQueue<SentMessage> sends;
  RingQueue<ReceivePlace> places;
  std::uint32_t uncertain = 0;  ///< sends and places that a cancel may take out of the line
  std::uint32_t source = 0;     ///< index of the sending rank
  std::uint32_t dest = 0;       ///< index of the receiving rank
  std::uint64_t messages = 0;   ///< sent since the channel was last counted
  std::uint64_t bytes = 0;
  bool has_overlaps = false;  ///< threads of one side called at once: the order there is a choice
  CallSpan last_send;
  CallSpan last_post;

  bool is_idle() const noexcept { return sends.empty() && places.empty(); }
};

}  // namespace meridian
