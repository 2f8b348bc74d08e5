// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "merged/event_blocks.hpp"
#include "merged/link_table.hpp"
#include "merged/merged_trace.hpp"
#include "merged/user_value_reader.hpp"
#include "merged/wait_reader.hpp"

namespace meridian {

struct MergedTrace::Impl {
  std::filesystem::path path;
  h5::File file;
  MergedDefinitions definitions;
  EventIndex index;

  // For random access.
  EventBlocks events;
  KeptPieces<MergedEvent> kept;
  LinkTable messages, parts;
  LongTableReader<StoredMessage> message_rows;
  LongTableReader<StoredPart> part_rows;
  LongTableReader<StoredInstance> instance_rows;
  std::vector<std::int64_t> part_instance, instance_part;  // [block]

  /// Of part(): the first participants of the instances in one block of them, and the instance last found.
  struct InstanceBlock {
    std::uint64_t number = UINT64_MAX;  ///< unknown
    std::vector<std::uint64_t> first_parts{};
    std::uint64_t end = 0;  ///< first participant behind the block
  };
  InstanceBlock instance_block{};
  Status read_instance_block(std::uint64_t number);
  std::optional<AwaitedReader> awaited{};
  std::optional<UserValueReader> user_values{};
  std::optional<WaitReader> waits{};  // opened when it is needed: analyses store waits while the file is open

  Result<const MergedEvent*> event(std::uint64_t row);
  Result<MergedMessage> message(std::uint64_t number, const MergedEvent* send);
  Error in_file(Error error) const { return h5::in_file(std::move(error), "merged file", path); }
};

}  // namespace meridian
