// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <utility>
#include <vector>

#include "merged/event_blocks.hpp"
#include "merged/link_table.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

struct MergedTrace::Impl {
  std::filesystem::path path;
  h5::File file;
  MergedDefinitions definitions;
  EventIndex index;

  // For random access.
  EventBlocks events;
  /// Blocks of events, the latest first: the ends of a message are often on two sides of a block boundary.
  struct Block {
    std::uint64_t number = 0;
    std::vector<MergedEvent> events;
  };
  static constexpr std::size_t kKeptBlocks = 4;
  std::deque<Block> blocks;
  LinkTable messages, parts;
  ShortBlock message_comm, message_tag, comm_rank, shape;
  LongBlock message_bytes;
  ShortBlock instance_comm, instance_root, instance_parts;
  std::vector<std::int64_t> part_instance, instance_part;  // [block]

  /// The instance last found by part(): sequential reads continue from there.
  struct Place {
    std::uint64_t instance = 0;
    std::uint64_t first_part = UINT64_MAX;  ///< unknown
  };
  Place last_place{};

  Result<const MergedEvent*> event(std::uint64_t row);
  Error in_file(Error error) const { return h5::in_file(std::move(error), "merged file", path); }
};

Result<LinkTable> open_messages(hid_t file, std::uint64_t events);
Result<LinkTable> open_parts(hid_t file, std::uint64_t events);

}  // namespace meridian
