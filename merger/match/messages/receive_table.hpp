// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/messages/channel_table.hpp"
#include "merger/model/event_ref.hpp"
#include "trace/definitions/communicators.hpp"

namespace meridian {

/// A receive, from its posting until it is paired.
struct Receive {
  EventRef post;
  EventRef completion;
  std::int64_t post_enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::int64_t bytes = 0;    ///< received; negative: unknown
  CallSpan span;             ///< of the call that posted it
  std::uint64_t number = 0;  ///< in its channel, once known
  std::uint32_t channel = ChannelTable::kNone;
  std::uint32_t rank_index = 0;
  std::uint32_t comm = 0;
  std::uint32_t dest = 0;         ///< group rank of the receiver
  std::uint32_t source_bits = 0;  ///< the flag bits of ChannelKey
  std::int32_t source = 0;        ///< -1: any source, not known yet; likewise the tag
  std::int32_t tag = 0;
  std::uint32_t comm_number = 0;
  std::uint32_t epoch = 0;
  const Group* peers = nullptr;
  bool is_complete = false;        ///< no further data about it will follow
  bool is_silent = false;          ///< complete, but its completion is not in the trace
  bool is_before = false;          ///< it was posted before the trace begins, or its message was sent before
  bool is_uncertain = false;       ///< a cancel was requested, and its outcome is unknown
  bool is_sender_missing = false;  ///< the sending rank is not in the trace
  bool has_failed = false;         ///< the call that completed it returned an error: the message may have been longer

  bool has_channel() const noexcept { return source != -1 && tag != -1; }
};

/// Whether the receive can have got the message, by size.
inline bool has_size(const SentMessage& send, const Receive& receive) noexcept {
  return receive.bytes < 0 || send.bytes == kUnknownBytes || send.bytes == static_cast<std::uint64_t>(receive.bytes);
}

/// Pending receives by number. Numbers of removed receives are reused.
class ReceiveTable {
 public:
  /// Invalidates references to receives.
  ReceiveId add() {
    if (free_.empty()) {
      receives_.emplace_back();
      return static_cast<ReceiveId>(receives_.size() - 1);
    }
    const ReceiveId id = free_.back();
    free_.pop_back();
    receives_[id] = {};
    return id;
  }
  void remove(ReceiveId id) { free_.push_back(id); }

  Receive& operator[](ReceiveId id) noexcept { return receives_[id]; }
  const Receive& operator[](ReceiveId id) const noexcept { return receives_[id]; }

 private:
  std::vector<Receive> receives_;
  std::vector<ReceiveId> free_;
};

}  // namespace meridian
