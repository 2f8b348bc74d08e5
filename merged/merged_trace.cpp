// SPDX-License-Identifier: Apache-2.0
#include "merged/merged_trace.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "merged/energy_reader.hpp"
#include "merged/memory_reader.hpp"
#include "merged/merged_impl.hpp"
#include "merged/processor_reader.hpp"
#include "merged/read_clocks.hpp"
#include "merged/read_definitions.hpp"
#include "merged/sample_reader.hpp"
#include "summary/summary_file.hpp"

namespace meridian {
namespace {

Result<EventIndex> read_event_index(hid_t file) {
  EventIndex index;
  MERIDIAN_TRY(const StoredEventReader rows, StoredEventReader::open(file, 0));
  index.events = rows.size();
  MERIDIAN_TRY(index.enter_ns, read_index(file, kIndexEnter, blocks_of(index.events)));
  MERIDIAN_TRY(index.latest_leave_ns, read_index(file, kIndexLeave, blocks_of(index.events)));
  MERIDIAN_TRY(index.sequence_rows, h5::read_uint_attribute(file, kSequenceRows));
  if (index.sequence_rows == 0 || index.sequence_rows % kIndexRows != 0 ||
      index.sequence_rows > (std::uint64_t{1} << 40))
    return damaged_merged("the index of events contradicts them");
  return index;
}

Result<std::unique_ptr<MergedTrace::Impl>> open_file(h5::File file, const std::filesystem::path& path) {
  const hid_t id = file.get();
  MERIDIAN_TRY_DO(require_merged(id));
  MERIDIAN_TRY(MergedDefinitions definitions, read_definitions(id));
  MERIDIAN_TRY(EventIndex index, read_event_index(id));
  MERIDIAN_TRY(EventBlocks events, EventBlocks::open(id, index, definitions.locations));
  MERIDIAN_TRY(LinkTable messages, LinkTable::open_messages(id, index.events));
  MERIDIAN_TRY(LinkTable parts, LinkTable::open_parts(id, index.events));
  MERIDIAN_TRY(auto message_rows, LongTableReader<StoredMessage>::open(id, kMessages, kMessageColumns));
  MERIDIAN_TRY(auto part_rows, LongTableReader<StoredPart>::open(id, kParts, kPartColumns));
  MERIDIAN_TRY(auto instance_rows, LongTableReader<StoredInstance>::open(id, kInstances, kInstanceColumns));
  MERIDIAN_TRY(auto part_instance, read_index(id, kIndexPartInstance, blocks_of(parts.size())));
  MERIDIAN_TRY(auto instance_part, read_index(id, kIndexInstancePart, blocks_of(instance_rows.size())));
  if (message_rows.size() != messages.size() || part_rows.size() != parts.size())
    return damaged_merged("columns of messages or collectives differ in length");
  auto impl = std::unique_ptr<MergedTrace::Impl>{new MergedTrace::Impl{path,
                                                                       std::move(file),
                                                                       std::move(definitions),
                                                                       std::move(index),
                                                                       std::move(events),
                                                                       {},
                                                                       std::move(messages),
                                                                       std::move(parts),
                                                                       std::move(message_rows),
                                                                       std::move(part_rows),
                                                                       std::move(instance_rows),
                                                                       std::move(part_instance),
                                                                       std::move(instance_part)}};
  // The reader of events points to the index and to the locations.
  MERIDIAN_TRY(impl->events, EventBlocks::open(id, impl->index, impl->definitions.locations));
  return impl;
}

Result<std::unique_ptr<MergedTrace::Impl>> open_named(Result<h5::File> file, const std::filesystem::path& path) {
  if (!file) return std::move(file).error();
  auto impl = open_file(*std::move(file), path);
  if (!impl) return h5::in_file(std::move(impl).error(), "merged file", path);
  return impl;
}

}  // namespace

MergedTrace::MergedTrace(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
MergedTrace::MergedTrace(MergedTrace&&) noexcept = default;
MergedTrace& MergedTrace::operator=(MergedTrace&&) noexcept = default;
MergedTrace::~MergedTrace() = default;

Result<MergedTrace> MergedTrace::open(const std::filesystem::path& path) {
  MERIDIAN_TRY(auto impl, open_named(h5::open_read_only(path), path));
  return MergedTrace{std::move(impl)};
}

Result<MergedTrace> MergedTrace::open_flushed(const std::filesystem::path& path) {
  MERIDIAN_TRY(auto impl, open_named(h5::open_flushed(path), path));
  return MergedTrace{std::move(impl)};
}

Result<MergedTrace> MergedTrace::borrow(std::int64_t id) {
  const h5::Quiet quiet;
  h5::File file{H5Freopen(static_cast<hid_t>(id))};
  if (!file) return h5::failure(Errc::io, "cannot read the merged file");
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(H5Fget_name(file.get(), nullptr, 0), 0)), '\0');
  (void)H5Fget_name(file.get(), name.data(), name.size() + 1);
  MERIDIAN_TRY(auto impl, open_file(std::move(file), name));
  return MergedTrace{std::move(impl)};
}

const std::filesystem::path& MergedTrace::path() const noexcept { return impl_->path; }
const MergedDefinitions& MergedTrace::definitions() const noexcept { return impl_->definitions; }
std::uint64_t MergedTrace::events() const noexcept { return impl_->index.events; }
std::uint64_t MergedTrace::messages() const noexcept { return impl_->messages.size(); }
std::uint64_t MergedTrace::instances() const noexcept { return impl_->instance_rows.size(); }
std::uint64_t MergedTrace::parts() const noexcept { return impl_->parts.size(); }

Result<SampleReader> MergedTrace::samples() const {
  auto reader = SampleReader::open(impl_->file.get(), impl_->definitions.locations.size());
  if (!reader) return impl_->in_file(std::move(reader).error());
  return reader;
}

Result<ProcessorReader> MergedTrace::processor() const {
  auto reader = ProcessorReader::open(impl_->file.get(), impl_->definitions.locations.size());
  if (!reader) return impl_->in_file(std::move(reader).error());
  return reader;
}

Result<MemoryReader> MergedTrace::memory() const {
  auto reader = MemoryReader::open(impl_->file.get());
  if (!reader) return impl_->in_file(std::move(reader).error());
  return reader;
}

Result<EnergyReader> MergedTrace::energy() const {
  auto reader = EnergyReader::open(impl_->file.get());
  if (!reader) return impl_->in_file(std::move(reader).error());
  return reader;
}

Result<Summary> MergedTrace::summary() const { return meridian::read_summary(impl_->file.get(), impl_->path); }

Result<Summary> MergedTrace::read_summary(const std::filesystem::path& path) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(path));
  if (H5Aexists(file.get(), "schema") > 0)
    if (Status is_merged = require_merged(file.get()); !is_merged)
      return h5::in_file(std::move(is_merged).error(), "merged file", path);
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
  const std::uint64_t number = row / kPieceRows;
  const std::vector<MergedEvent>* piece = kept.find(number);
  if (piece == nullptr) {
    std::vector<MergedEvent>& room = kept.room();
    MERIDIAN_TRY(const std::size_t count, events.read(number, room, 0));
    room.resize(count);
    kept.keep(number);
    piece = &room;
  }
  return &(*piece)[static_cast<std::size_t>(row % kPieceRows)];
}

Result<MergedEvent> MergedTrace::event(std::uint64_t row) const {
  auto found = impl_->event(row);
  if (!found) return impl_->in_file(std::move(found).error());
  return **found;
}

Result<MergedMessage> MergedTrace::Impl::message(std::uint64_t number, const MergedEvent* send) {
  if (number >= messages.size())
    return Error{Errc::not_found, "there is no message " + std::to_string(number), "messages are numbered from 0"};
  MERIDIAN_TRY(const LinkTable::Ends ends, messages.ends(number));
  if (send == nullptr || send->row != ends[0]) {
    MERIDIAN_TRY(send, event(ends[0]));
  }
  MERIDIAN_TRY(const StoredMessage* const row, message_rows.at(number));
  const auto sum = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  };
  return MergedMessage{number,
                       ends[0],
                       ends[2],
                       ends[1],
                       sum(send->comm, row->comm),
                       sum(send->tag, row->tag),
                       send->bytes_sent + static_cast<std::uint64_t>(row->bytes)};
}

Result<MergedMessage> MergedTrace::message(std::uint64_t number) const {
  auto found = impl_->message(number, nullptr);
  if (!found) return impl_->in_file(std::move(found).error());
  return found;
}

Result<MergedMessage> MergedTrace::message(std::uint64_t number, const MergedEvent& send) const {
  auto found = impl_->message(number, &send);
  if (!found) return impl_->in_file(std::move(found).error());
  return found;
}

Result<MessageEnds> MergedTrace::message_ends(std::uint64_t number) const {
  if (number >= messages())
    return Error{Errc::not_found, "there is no message " + std::to_string(number), "messages are numbered from 0"};
  auto ends = impl_->messages.ends(number);
  if (!ends) return impl_->in_file(std::move(ends).error());
  return MessageEnds{(*ends)[0], (*ends)[2], (*ends)[1]};
}

Status MergedTrace::Impl::read_instance_block(std::uint64_t number) {
  instance_block = {};
  if (number >= instance_part.size()) return damaged_merged("collectives contradict each other");
  InstanceBlock block;
  block.number = number;
  block.end = static_cast<std::uint64_t>(instance_part[static_cast<std::size_t>(number)]);
  const std::uint64_t last = std::min(instance_rows.size(), (number + 1) * kIndexRows);
  for (std::uint64_t at = number * kIndexRows; at < last; ++at) {
    MERIDIAN_TRY(const StoredInstance* const row, instance_rows.at(at));
    if (row->parts <= 0) return damaged_merged("collectives contradict each other");
    block.first_parts.push_back(block.end);
    block.end += static_cast<std::uint64_t>(row->parts);
  }
  instance_block = std::move(block);
  return {};
}

Result<MergedPart> MergedTrace::part(std::uint64_t number) const {
  const auto read = [&]() -> Result<MergedPart> {
    if (number >= parts())
      return Error{Errc::not_found, "there is no participant " + std::to_string(number), "they are numbered from 0"};
    Impl& file = *impl_;
    MERIDIAN_TRY(const LinkTable::Ends ends, file.parts.ends(number));
    const auto first_instance =
        static_cast<std::uint64_t>(file.part_instance[static_cast<std::size_t>(number / kIndexRows)]);
    if (first_instance >= instances()) return damaged_merged("collectives contradict each other");
    std::uint64_t block = file.instance_block.number;
    const auto is_in_block = [&] {
      return !file.instance_block.first_parts.empty() && file.instance_block.first_parts.front() <= number &&
             number < file.instance_block.end;
    };
    if (block == UINT64_MAX || !is_in_block()) {
      // The block of the first instance in the block of participants, or one of those after it.
      for (block = first_instance / kIndexRows;; ++block) {
        MERIDIAN_TRY_DO(file.read_instance_block(block));
        if (is_in_block()) break;
        if (number < file.instance_block.end) return damaged_merged("collectives contradict each other");
      }
    }
    const std::vector<std::uint64_t>& first_parts = file.instance_block.first_parts;
    const auto place = std::ranges::upper_bound(first_parts, number) - first_parts.begin() - 1;
    const std::uint64_t first = first_parts[static_cast<std::size_t>(place)];
    const std::uint64_t at = block * kIndexRows + static_cast<std::uint64_t>(place);
    MERIDIAN_TRY(const StoredInstance* const instance, file.instance_rows.at(at));
    MERIDIAN_TRY(const StoredPart* const part, file.part_rows.at(number));
    return MergedPart{number,          at,    ends[0],         ends[1],    instance->comm, instance->root,
                      instance->parts, first, part->comm_rank, part->shape};
  };
  auto found = read();
  if (!found) return impl_->in_file(std::move(found).error());
  return found;
}

Status MergedTrace::waits(std::uint64_t first, std::uint64_t last, std::vector<EventWait>& waits) const {
  const auto read = [&]() -> Status {
    if (!impl_->waits) {
      MERIDIAN_TRY(impl_->waits, WaitReader::open(impl_->file.get(), impl_->index.events));
    }
    return impl_->waits->read(first, last, waits);
  };
  Status status = read();
  if (!status) return impl_->in_file(std::move(status).error());
  return status;
}

Status MergedTrace::awaited(std::uint64_t first, std::uint64_t last, std::vector<EventAwaited>& awaited) const {
  const auto read = [&]() -> Status {
    if (!impl_->awaited) {
      MERIDIAN_TRY(impl_->awaited, AwaitedReader::open(impl_->file.get(), impl_->index.events));
    }
    return impl_->awaited->read(first, last, awaited);
  };
  Status status = read();
  if (!status) return impl_->in_file(std::move(status).error());
  return status;
}

Result<std::vector<std::uint64_t>> MergedTrace::user_words(std::uint64_t row) const {
  std::vector<EventWord> found;
  const auto read = [&]() -> Status {
    if (!impl_->user_values) {
      MERIDIAN_TRY(impl_->user_values, UserValueReader::open(impl_->file.get(), impl_->index.events));
    }
    return impl_->user_values->read(row, row + 1, found);
  };
  if (Status status = read(); !status) return impl_->in_file(std::move(status).error());
  std::vector<std::uint64_t> words;
  words.reserve(found.size());
  for (const EventWord& word : found) words.push_back(word.word);
  return words;
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
