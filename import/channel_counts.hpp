// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace meridian::imported {

/// Messages from one rank to another one with one tag on one communicator; they do not overtake.
struct Channel {
  std::uint64_t comm = 0;   ///< handle
  std::int32_t source = 0;  ///< in the communicator
  std::int32_t target = 0;
  std::int32_t tag = 0;
  friend bool operator==(const Channel&, const Channel&) = default;
};

/// The sends and receives that an archive has. Some tools record no completions of non-blocking receives, or nothing of MPI_Sendrecv:
/// pairing the rest in order would then pair the wrong ones, unless all messages of a channel have both sides.
class ChannelCounts {
 public:
  void add_send(const Channel& channel) { ++counts_[channel].sends; }
  void add_receive(const Channel& channel) { ++counts_[channel].receives; }
  void add_posted_receive() { ++posted_; }
  void add_completed_receive() { ++completed_; }
  void add_sendrecv(bool has_messages) { ++(has_messages ? exchanges_ : silent_exchanges_); }

  /// Whether the tool leaves out one side of some messages.
  bool lacks_sides() const { return (posted_ > 0 && completed_ == 0) || (silent_exchanges_ > 0 && exchanges_ == 0); }
  /// Whether messages of the channel can be paired in their order.
  bool is_reliable(const Channel& channel) const {
    if (!lacks_sides()) return true;
    const auto found = counts_.find(channel);
    return found != counts_.end() && found->second.sends == found->second.receives;
  }

 private:
  struct Counts {
    std::uint64_t sends = 0, receives = 0;
  };
  struct Hash {
    std::size_t operator()(const Channel& channel) const noexcept {
      std::uint64_t hash = channel.comm;
      for (const std::int32_t part : {channel.source, channel.target, channel.tag})
        hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9fb21c651e98df25ULL, hash ^= hash >> 32U;
      return static_cast<std::size_t>(hash);
    }
  };
  std::unordered_map<Channel, Counts, Hash> counts_;
  std::uint64_t posted_ = 0, completed_ = 0;
  std::uint64_t exchanges_ = 0, silent_exchanges_ = 0;
};

}  // namespace meridian::imported
