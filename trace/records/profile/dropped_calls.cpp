// SPDX-License-Identifier: Apache-2.0
#include "trace/records/profile/dropped_calls.hpp"

#include <algorithm>
#include <tuple>

namespace meridian {

DroppedMessagesRow* DroppedCalls::row_of(std::uint32_t comm, std::int32_t peer, std::int32_t tag, bool is_partitioned) {
  const Key key{comm, peer, tag, is_partitioned ? 1U : 0U};
  std::uint32_t number = by_key_.find(key);
  if (number == IndexMap<Key>::kNone) {
    if (messages_.size() >= kMostChannels) {
      has_too_many_tags_ = 1;
      return nullptr;
    }
    number = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back({.comm = comm, .peer = peer, .tag = tag, .is_partitioned = key.is_partitioned});
    by_key_.set(key, number);
  }
  return &messages_[number];
}

DroppedPart DroppedCalls::rows(const RankMeta& meta) const {
  DroppedPart part;
  const auto place = [&](auto row, std::size_t comm) {
    row.comm = meta.comms[comm].birth.comm;
    row.seen_ticks = meta.comms[comm].leave_ticks;
    return row;
  };
  for (const DroppedMessagesRow& row : messages_)
    if (row.comm < meta.comms.size()) part.messages.push_back(place(row, static_cast<std::size_t>(row.comm)));
  std::ranges::sort(part.messages, {}, [](const DroppedMessagesRow& row) {
    return std::tuple{row.comm, row.seen_ticks, row.peer, row.tag, row.is_partitioned};
  });
  for (std::size_t comm = 0; comm < std::min(collectives_.size(), meta.comms.size()); ++comm)
    if (collectives_[comm].entered + collectives_[comm].initialised != 0)
      part.collectives.push_back(place(collectives_[comm], comm));
  return part;
}

bool DroppedCalls::restore(StateReader& archive, std::size_t comms) {
  archive(messages_, collectives_, has_too_many_tags_);
  if (!archive.is_good() || collectives_.size() > comms) return false;
  for (std::uint32_t i = 0; i < messages_.size(); ++i) {
    const DroppedMessagesRow& row = messages_[i];
    if (row.comm >= comms || row.is_partitioned > 1) return false;
    by_key_.set({static_cast<std::uint32_t>(row.comm), row.peer, row.tag, row.is_partitioned}, i);
  }
  return true;
}

}  // namespace meridian
