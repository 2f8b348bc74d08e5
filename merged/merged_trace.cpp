// SPDX-License-Identifier: Apache-2.0
#include "merged/merged_trace.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "merged/merged_impl.hpp"
#include "merged/read_clocks.hpp"
#include "merged/read_definitions.hpp"
#include "summary/summary_file.hpp"

namespace meridian {
namespace {

Result<EventIndex> read_index(hid_t file) {
  EventIndex index;
  MERIDIAN_TRY(const LongBlock step, LongBlock::open(file, MergedColumn::event_step));
  MERIDIAN_TRY(index.enter_ns, read_whole<std::int64_t>(file, info(MergedColumn::index_enter).path));
  MERIDIAN_TRY(index.latest_leave_ns, read_whole<std::int64_t>(file, info(MergedColumn::index_leave).path));
  MERIDIAN_TRY(index.sequence_rows, h5::read_uint_attribute(file, kSequenceRows));
  index.events = step.size();
  if (index.enter_ns.size() != step.blocks() || index.latest_leave_ns.size() != step.blocks() ||
      index.sequence_rows == 0 || index.sequence_rows % kIndexRows != 0 ||
      index.sequence_rows > (std::uint64_t{1} << 40))
    return damaged_merged("the index of events contradicts them");
  return index;
}

Result<std::unique_ptr<MergedTrace::Impl>> open_file(h5::File file, const std::filesystem::path& path) {
  using enum MergedColumn;
  const hid_t id = file.get();
  MERIDIAN_TRY_DO(require_merged(id));
  MERIDIAN_TRY(MergedDefinitions definitions, read_definitions(id));
  MERIDIAN_TRY(EventIndex index, read_index(id));
  MERIDIAN_TRY(EventBlocks events, EventBlocks::open(id, index, definitions.locations));
  MERIDIAN_TRY(LinkTable messages, open_messages(id, index.events));
  MERIDIAN_TRY(LinkTable parts, open_parts(id, index.events));
  MERIDIAN_TRY(ShortBlock comm, ShortBlock::open(id, message_comm));
  MERIDIAN_TRY(ShortBlock tag, ShortBlock::open(id, message_tag));
  MERIDIAN_TRY(LongBlock bytes, LongBlock::open(id, message_bytes));
  MERIDIAN_TRY(ShortBlock comm_rank, ShortBlock::open(id, part_comm_rank));
  MERIDIAN_TRY(ShortBlock shape, ShortBlock::open(id, part_shape));
  MERIDIAN_TRY(ShortBlock instance_comm, ShortBlock::open(id, collective_comm));
  MERIDIAN_TRY(ShortBlock instance_root, ShortBlock::open(id, collective_root));
  MERIDIAN_TRY(ShortBlock instance_parts, ShortBlock::open(id, collective_parts));
  MERIDIAN_TRY(auto part_instance, read_whole<std::int64_t>(id, info(index_part_instance).path));
  MERIDIAN_TRY(auto instance_part, read_whole<std::int64_t>(id, info(index_instance_part).path));
  if (comm.size() != messages.size() || tag.size() != messages.size() || bytes.size() != messages.size())
    return damaged_merged("columns of messages differ in length");
  if (comm_rank.size() != parts.size() || shape.size() != parts.size() || part_instance.size() != comm_rank.blocks() ||
      instance_root.size() != instance_comm.size() || instance_parts.size() != instance_comm.size() ||
      instance_part.size() != instance_comm.blocks())
    return damaged_merged("columns of collectives differ in length");
  auto impl = std::unique_ptr<MergedTrace::Impl>{new MergedTrace::Impl{path,
                                                                       std::move(file),
                                                                       std::move(definitions),
                                                                       std::move(index),
                                                                       std::move(events),
                                                                       {},
                                                                       std::move(messages),
                                                                       std::move(parts),
                                                                       std::move(comm),
                                                                       std::move(tag),
                                                                       std::move(comm_rank),
                                                                       std::move(shape),
                                                                       std::move(bytes),
                                                                       std::move(instance_comm),
                                                                       std::move(instance_root),
                                                                       std::move(instance_parts),
                                                                       std::move(part_instance),
                                                                       std::move(instance_part)}};
  // The reader of events points to the index and to the locations.
  MERIDIAN_TRY(impl->events, EventBlocks::open(id, impl->index, impl->definitions.locations));
  return impl;
}

}  // namespace

Result<LinkTable> open_messages(hid_t file, std::uint64_t events) {
  using enum MergedColumn;
  const MergedColumn post = message_post;
  const LinkTable::Order orders[] = {
      {index_send, message_send_step, true}, {index_completion, message_by_completion}, {index_post, message_by_post}};
  return LinkTable::open(file, message_send_step, message_completion, &post, index_send, orders, events);
}

Result<LinkTable> open_parts(hid_t file, std::uint64_t events) {
  using enum MergedColumn;
  const LinkTable::Order orders[] = {{index_by_start, part_by_start}, {index_by_completion, part_by_completion}};
  return LinkTable::open(file, part_start_step, part_completion, nullptr, index_part_start, orders, events);
}

MergedTrace::MergedTrace(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
MergedTrace::MergedTrace(MergedTrace&&) noexcept = default;
MergedTrace& MergedTrace::operator=(MergedTrace&&) noexcept = default;
MergedTrace::~MergedTrace() = default;

Result<MergedTrace> MergedTrace::open(const std::filesystem::path& path) {
  MERIDIAN_TRY(h5::File file, h5::open_read_only(path));
  auto impl = open_file(std::move(file), path);
  if (!impl) return h5::in_file(std::move(impl).error(), "merged file", path);
  return MergedTrace{*std::move(impl)};
}

Result<MergedTrace> MergedTrace::borrow(std::int64_t id) {
  const h5::Quiet quiet;
  h5::File file{H5Freopen(static_cast<hid_t>(id))};
  if (!file) return h5::failure(Errc::io, "cannot read the merged file");
  MERIDIAN_TRY(auto impl, open_file(std::move(file), {}));
  return MergedTrace{std::move(impl)};
}

const std::filesystem::path& MergedTrace::path() const noexcept { return impl_->path; }
const MergedDefinitions& MergedTrace::definitions() const noexcept { return impl_->definitions; }
std::uint64_t MergedTrace::events() const noexcept { return impl_->index.events; }
std::uint64_t MergedTrace::messages() const noexcept { return impl_->messages.size(); }
std::uint64_t MergedTrace::instances() const noexcept { return impl_->instance_comm.size(); }
std::uint64_t MergedTrace::parts() const noexcept { return impl_->parts.size(); }

Result<Summary> MergedTrace::summary() const { return meridian::read_summary(impl_->file.get(), impl_->path); }

Result<Summary> MergedTrace::read_summary(const std::filesystem::path& path) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(path));
  return meridian::read_summary(file.get(), path);
}

Result<ClockReport> MergedTrace::clock_report() const {
  auto report = read_clock_report(impl_->file.get());
  if (!report) return impl_->in_file(std::move(report).error());
  return report;
}

Result<ClockBounds> MergedTrace::clock_bounds() const {
  auto bounds = read_clock_bounds(impl_->file.get());
  if (!bounds) return impl_->in_file(std::move(bounds).error());
  return bounds;
}

Result<const MergedEvent*> MergedTrace::Impl::event(std::uint64_t row) {
  if (row >= index.events)
    return Error{Errc::not_found, "there is no event " + std::to_string(row), "events are numbered from 0"};
  const std::uint64_t number = row / kIndexRows;
  const auto kept = std::ranges::find(blocks, number, &Block::number);
  if (kept == blocks.end()) {
    Block made;
    if (blocks.size() == kKeptBlocks) {
      made = std::move(blocks.back());
      blocks.pop_back();
    }
    made.number = number;
    MERIDIAN_TRY_DO(events.read(number, made.events));
    blocks.push_front(std::move(made));
  } else if (kept != blocks.begin()) {
    Block found = std::move(*kept);
    blocks.erase(kept);
    blocks.push_front(std::move(found));
  }
  return &blocks.front().events[static_cast<std::size_t>(row % kIndexRows)];
}

Result<MergedEvent> MergedTrace::event(std::uint64_t row) const {
  auto found = impl_->event(row);
  if (!found) return impl_->in_file(std::move(found).error());
  return **found;
}

Result<MergedMessage> MergedTrace::message(std::uint64_t number) const {
  const auto read = [&]() -> Result<MergedMessage> {
    if (number >= messages())
      return Error{Errc::not_found, "there is no message " + std::to_string(number), "messages are numbered from 0"};
    MERIDIAN_TRY(const LinkTable::Ends ends, impl_->messages.ends(number));
    MERIDIAN_TRY(const MergedEvent* const send, impl_->event(ends[0]));
    MERIDIAN_TRY(const std::int32_t comm, impl_->message_comm.at(number));
    MERIDIAN_TRY(const std::int32_t tag, impl_->message_tag.at(number));
    MERIDIAN_TRY(const std::int64_t bytes, impl_->message_bytes.at(number));
    const auto sum = [](std::int32_t a, std::int32_t b) {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    };
    return MergedMessage{number,
                         ends[0],
                         ends[2],
                         ends[1],
                         sum(send->comm, comm),
                         sum(send->tag, tag),
                         send->bytes_sent + static_cast<std::uint64_t>(bytes)};
  };
  auto found = read();
  if (!found) return impl_->in_file(std::move(found).error());
  return found;
}

Result<MergedPart> MergedTrace::part(std::uint64_t number) const {
  const auto read = [&]() -> Result<MergedPart> {
    if (number >= parts())
      return Error{Errc::not_found, "there is no participant " + std::to_string(number), "they are numbered from 0"};
    Impl& file = *impl_;
    MERIDIAN_TRY(const LinkTable::Ends ends, file.parts.ends(number));
    // Begins at the end of the last read, or at the first instance of the table's block.
    const std::size_t block = static_cast<std::size_t>(number / kIndexRows);
    std::uint64_t at = file.last_place.instance, first = file.last_place.first_part;
    if (first > number || first / kIndexRows != block) {
      const auto instance = static_cast<std::uint64_t>(file.part_instance[block]);
      if (instance >= instances()) return damaged_merged("collectives contradict each other");
      at = instance / kIndexRows * kIndexRows;
      first = static_cast<std::uint64_t>(file.instance_part[static_cast<std::size_t>(at / kIndexRows)]);
    }
    std::int32_t count = 0;
    for (;; ++at) {
      if (at >= instances()) return damaged_merged("collectives contradict each other");
      MERIDIAN_TRY(count, file.instance_parts.at(at));
      if (count <= 0 || first > number) return damaged_merged("collectives contradict each other");
      if (number - first < static_cast<std::uint64_t>(count)) break;
      first += static_cast<std::uint64_t>(count);
    }
    file.last_place = {at, first};
    MERIDIAN_TRY(const std::int32_t comm, file.instance_comm.at(at));
    MERIDIAN_TRY(const std::int32_t root, file.instance_root.at(at));
    MERIDIAN_TRY(const std::int32_t comm_rank, file.comm_rank.at(number));
    MERIDIAN_TRY(const std::int32_t shape, file.shape.at(number));
    return MergedPart{number, at, ends[0], ends[1], comm, root, count, first, comm_rank, shape};
  };
  auto found = read();
  if (!found) return impl_->in_file(std::move(found).error());
  return found;
}

Result<std::uint64_t> MergedTrace::find(std::int32_t rank, std::uint32_t thread, std::uint64_t sequence) const {
  const auto read = [&]() -> Result<std::uint64_t> {
    const Error missing{Errc::not_found,
                        "it has no call " + std::to_string(sequence) + " of thread " + std::to_string(thread) +
                            " of rank " + std::to_string(rank),
                        "calls are numbered from 0 in each thread"};
    const auto& locations = impl_->definitions.locations;
    const auto location = std::ranges::find_if(
        locations, [&](const MergedLocation& at) { return at.rank == rank && at.thread == thread; });
    if (location == locations.end()) return missing;
    const auto number = static_cast<std::size_t>(location - locations.begin());
    std::uint64_t low = 0, high = impl_->events.readings();  // the last entry that is not after the call
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      MERIDIAN_TRY(const auto next, impl_->events.reading(middle));
      (next[number] <= sequence ? low : high) = middle;
    }
    const std::uint64_t first = low * impl_->index.sequence_rows;
    const std::uint64_t last = std::min(impl_->index.events, first + impl_->index.sequence_rows);
    for (std::uint64_t row = first; row < last; ++row) {
      MERIDIAN_TRY(const MergedEvent* const event, impl_->event(row));
      if (event->location == number && event->sequence == sequence) return row;
    }
    return missing;
  };
  auto found = read();
  if (!found) return impl_->in_file(std::move(found).error());
  return found;
}

}  // namespace meridian
