// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/messages/channel.hpp"

namespace meridian {

/// The channels with pending messages or receives, and some idle ones, which are removed when the table would have to
/// grow: a program with a new tag for every message does not fill memory.
class ChannelTable {
 public:
  static constexpr std::uint32_t kNone = IndexMap<ChannelKey>::kNone;

  std::uint32_t find(const ChannelKey& key) const noexcept { return index_.find(key); }

  /// The number of the channel, which is created if it is new. Invalidates references to channels. `forget` is called
  /// with every idle channel that is removed.
  template <class Forget>
  std::uint32_t get(const ChannelKey& key, std::uint32_t source, std::uint32_t dest, Forget&& forget) {
    const std::uint32_t found = index_.find(key);
    if (found != kNone) [[likely]]
      return found;
    if (index_.size() >= limit_) {
      for (std::uint32_t number = 0; number < channels_.size(); ++number)
        if (is_live_[number] && channels_[number].is_idle()) {
          forget(channels_[number]);
          drop(number);
        }
      limit_ = 2 * index_.size() > kSmallest ? 2 * index_.size() : kSmallest;
    }
    return make(key, source, dest);
  }

  Channel& operator[](std::uint32_t number) noexcept { return channels_[number]; }
  const Channel& operator[](std::uint32_t number) const noexcept { return channels_[number]; }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::uint32_t number = 0; number < channels_.size(); ++number)
      if (is_live_[number]) visit(channels_[number]);
  }

 private:
  static constexpr std::size_t kSmallest = 4096;
  std::uint32_t make(const ChannelKey& key, std::uint32_t source, std::uint32_t dest);
  void drop(std::uint32_t number);

  IndexMap<ChannelKey> index_;
  std::vector<Channel> channels_;
  std::vector<bool> is_live_;
  std::vector<std::uint32_t> free_;
  std::size_t limit_ = kSmallest;  // number of channels above which idle ones are removed
};

}  // namespace meridian
