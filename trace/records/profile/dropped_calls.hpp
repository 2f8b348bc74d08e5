// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "trace/containers/index_map.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/dropped_rows.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Counts the messages and collectives of dropped calls: the next message of a channel, and the next collective of a communicator,
/// then has the number that it has in the whole run. Communicators are rows of RankMeta::comms.
class DroppedCalls {
 public:
  static constexpr std::size_t kMostChannels = 1 << 18;

  void send(std::uint32_t comm, std::int32_t peer, std::int32_t tag, bool is_partitioned = false) {
    if (DroppedMessagesRow* const row = row_of(comm, peer, tag, is_partitioned)) ++row->sent;
  }
  void receive(std::uint32_t comm, std::int32_t peer, std::int32_t tag, bool is_partitioned = false) {
    if (DroppedMessagesRow* const row = row_of(comm, peer, tag, is_partitioned)) ++row->received;
  }
  /// A receive that was counted has no message.
  void cancel_receive(std::uint32_t comm, std::int32_t peer, std::int32_t tag) {
    DroppedMessagesRow* const row = row_of(comm, peer, tag, false);
    if (row != nullptr && row->received != 0) --row->received;
  }
  void collective(std::uint32_t comm) { ++collectives_of(comm).entered; }
  /// The number of a new persistent collective.
  std::uint32_t initialise(std::uint32_t comm) { return ++collectives_of(comm).initialised; }

  /// Whether there were more channels than are counted, so that nothing is known of the others.
  bool has_too_many_tags() const noexcept { return has_too_many_tags_ != 0; }
  /// With the handles of communicators in place of their rows; without requests.
  DroppedPart rows(const RankMeta& meta) const;

  void save(StateWriter& archive) const { archive(messages_, collectives_, has_too_many_tags_); }
  /// False: the state is damaged.
  bool restore(StateReader& archive, std::size_t comms);

 private:
  struct Key {
    std::uint32_t comm = 0;
    std::int32_t peer = 0, tag = 0;
    std::uint32_t is_partitioned = 0;
    friend bool operator==(const Key&, const Key&) = default;
    std::size_t hash() const noexcept {
      const std::uint64_t ends = std::uint64_t{comm} << 32 | static_cast<std::uint32_t>(peer);
      return static_cast<std::size_t>(
          mix(ends * 0x9e3779b97f4a7c15ULL ^ (std::uint64_t{is_partitioned} << 32 | static_cast<std::uint32_t>(tag))));
    }
  };
  /// nullptr: there is no room.
  DroppedMessagesRow* row_of(std::uint32_t comm, std::int32_t peer, std::int32_t tag, bool is_partitioned);
  DroppedCollectivesRow& collectives_of(std::uint32_t comm) {
    if (collectives_.size() <= comm) collectives_.resize(std::size_t{comm} + 1);
    return collectives_[comm];
  }

  std::vector<DroppedMessagesRow> messages_;  // with the row of the communicator in place of its handle
  IndexMap<Key> by_key_;
  std::vector<DroppedCollectivesRow> collectives_;  // [RankMeta::comms]
  std::uint8_t has_too_many_tags_ = 0;
};

}  // namespace meridian
