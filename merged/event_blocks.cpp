// SPDX-License-Identifier: Apache-2.0
#include "merged/event_blocks.hpp"

#include <utility>

namespace meridian {
namespace {

/// Whether the value is in the range of valid times, so that sums of a few do not overflow.
constexpr bool can_be_time(std::int64_t time_ns) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return -kMost < time_ns && time_ns < kMost;
}

}  // namespace

Result<EventBlocks> EventBlocks::open(hid_t file, const EventIndex& index,
                                      const std::vector<MergedLocation>& locations) {
  using enum MergedColumn;
  MERIDIAN_TRY(LongBlock step, LongBlock::open(file, event_step));
  MERIDIAN_TRY(LongBlock duration, LongBlock::open(file, event_duration));
  MERIDIAN_TRY(LongBlock skipped, LongBlock::open(file, event_skipped));
  MERIDIAN_TRY(LongBlock sent, LongBlock::open(file, event_bytes_sent));
  MERIDIAN_TRY(LongBlock received, LongBlock::open(file, event_bytes_received));
  MERIDIAN_TRY(ShortBlock location, ShortBlock::open(file, event_location));
  MERIDIAN_TRY(ShortBlock call, ShortBlock::open(file, event_call));
  MERIDIAN_TRY(ShortBlock flags, ShortBlock::open(file, event_flags));
  MERIDIAN_TRY(ShortBlock comm, ShortBlock::open(file, event_comm));
  MERIDIAN_TRY(ShortBlock peer, ShortBlock::open(file, event_peer));
  MERIDIAN_TRY(ShortBlock tag, ShortBlock::open(file, event_tag));
  MERIDIAN_TRY(ColumnReader sequences, ColumnReader::open(file, info(index_sequence).path));
  Columns columns{std::move(step),
                  std::move(duration),
                  std::move(skipped),
                  std::move(sent),
                  std::move(received),
                  std::move(location),
                  std::move(call),
                  std::move(flags),
                  std::move(comm),
                  std::move(peer),
                  std::move(tag),
                  {},
                  {}};
  if (h5::exists(file, info(event_site).path)) {
    MERIDIAN_TRY(columns.site, ShortBlock::open(file, event_site));
  }
  if (h5::exists(file, info(event_path).path)) {
    MERIDIAN_TRY(columns.path, ShortBlock::open(file, event_path));
  }
  const auto has_all = [&](const auto& column) { return column.size() == index.events; };
  if (!has_all(columns.step) || !has_all(columns.duration) || !has_all(columns.skipped) ||
      !has_all(columns.bytes_sent) || !has_all(columns.bytes_received) || !has_all(columns.location) ||
      !has_all(columns.call) || !has_all(columns.flags) || !has_all(columns.comm) || !has_all(columns.peer) ||
      !has_all(columns.tag) || (columns.site && !has_all(*columns.site)) || (columns.path && !has_all(*columns.path)))
    return damaged_merged("columns of events differ in length");
  EventBlocks blocks{std::move(columns), std::move(sequences), index, locations};
  if (locations.empty() ? index.events != 0
                        : blocks.sequences_.size() / locations.size() != blocks.readings() ||
                              blocks.sequences_.size() % locations.size() != 0)
    return damaged_merged("the index of events contradicts them");
  return blocks;
}

Result<std::vector<std::uint64_t>> EventBlocks::reading(std::uint64_t number) {
  std::vector<std::uint64_t> next(locations_->size());
  MERIDIAN_TRY_DO(sequences_.read(number * next.size(), std::span<std::uint64_t>{next}));
  return next;
}

Status EventBlocks::count(std::uint64_t block) {
  MERIDIAN_TRY(const auto location, columns_.location.block(block));
  MERIDIAN_TRY(const auto skipped, columns_.skipped.block(block));
  for (std::size_t i = 0; i < location.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(location[i]);
    if (at >= next_.size()) return damaged_merged("an event has a thread that is not there");
    next_[at] += static_cast<std::uint64_t>(skipped[i]) + 1;
  }
  next_block_ = block + 1;
  return {};
}

Status EventBlocks::position(std::uint64_t block) {
  if (next_block_ == block) return {};
  const std::uint64_t reading_number = block * kIndexRows / index_->sequence_rows;
  const std::uint64_t first = reading_number * index_->sequence_rows / kIndexRows;
  if (next_block_ > block || next_block_ < first) {
    MERIDIAN_TRY(next_, reading(reading_number));
    next_block_ = first;
  }
  while (next_block_ < block) MERIDIAN_TRY_DO(count(next_block_));
  return {};
}

Status EventBlocks::read(std::uint64_t block, std::vector<MergedEvent>& events) {
  MERIDIAN_TRY_DO(position(block));
  next_block_ = UINT64_MAX;  // until the block is complete
  MERIDIAN_TRY(const auto step, columns_.step.block(block));
  MERIDIAN_TRY(const auto duration, columns_.duration.block(block));
  MERIDIAN_TRY(const auto skipped, columns_.skipped.block(block));
  MERIDIAN_TRY(const auto sent, columns_.bytes_sent.block(block));
  MERIDIAN_TRY(const auto received, columns_.bytes_received.block(block));
  MERIDIAN_TRY(const auto location, columns_.location.block(block));
  MERIDIAN_TRY(const auto call, columns_.call.block(block));
  MERIDIAN_TRY(const auto flags, columns_.flags.block(block));
  MERIDIAN_TRY(const auto comm, columns_.comm.block(block));
  MERIDIAN_TRY(const auto peer, columns_.peer.block(block));
  MERIDIAN_TRY(const auto tag, columns_.tag.block(block));
  std::span<const std::int32_t> site, path;
  if (columns_.site) {
    MERIDIAN_TRY(site, columns_.site->block(block));
  }
  if (columns_.path) {
    MERIDIAN_TRY(path, columns_.path->block(block));
  }
  events.resize(step.size());
  auto enter = static_cast<std::uint64_t>(index_->enter_ns[static_cast<std::size_t>(block)]);
  for (std::size_t i = 0; i < step.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(location[i]);
    if (at >= next_.size()) return damaged_merged("an event has a thread that is not there");
    if (i != 0) enter += static_cast<std::uint64_t>(step[i]);
    const std::uint64_t sequence = next_[at] + static_cast<std::uint64_t>(skipped[i]);
    next_[at] = sequence + 1;
    const MergedLocation& thread = (*locations_)[at];
    MergedEvent& event = events[i];
    event = {block * kIndexRows + i,
             static_cast<std::int64_t>(enter),
             duration[i],
             sequence,
             static_cast<std::uint64_t>(sent[i]),
             static_cast<std::uint64_t>(received[i]),
             at,
             thread.rank,
             thread.thread,
             static_cast<std::uint32_t>(call[i]),
             static_cast<std::uint32_t>(flags[i]),
             comm[i],
             peer[i],
             tag[i],
             site.empty() ? 0 : static_cast<std::uint32_t>(site[i]),
             path.empty() ? 0 : static_cast<std::uint32_t>(path[i]),
             0,
             0};
    if (!can_be_time(event.enter_ns) || event.duration_ns < 0 || !can_be_time(event.duration_ns))
      return damaged_merged("an event has an invalid time");
  }
  next_block_ = block + 1;
  return {};
}

}  // namespace meridian
