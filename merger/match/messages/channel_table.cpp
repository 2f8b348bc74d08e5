// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/channel_table.hpp"

namespace meridian {

std::uint32_t ChannelTable::make(const ChannelKey& key, std::uint32_t source, std::uint32_t dest) {
  std::uint32_t number;
  if (free_.empty()) {
    number = static_cast<std::uint32_t>(channels_.size());
    channels_.emplace_back();
    is_live_.push_back(true);
  } else {
    number = free_.back();
    free_.pop_back();
    is_live_[number] = true;
  }
  Channel& channel = channels_[number];  // its queues may have memory from earlier use
  channel.key = key;
  channel.source = source;
  channel.dest = dest;
  channel.uncertain = 0;
  channel.messages = channel.bytes = 0;
  channel.last_send = channel.last_post = {};
  channel.may_race = channel.has_overlaps = false;
  index_.set(key, number);
  return number;
}

void ChannelTable::drop(std::uint32_t number) {
  index_.erase(channels_[number].key);
  is_live_[number] = false;
  free_.push_back(number);
}

}  // namespace meridian
