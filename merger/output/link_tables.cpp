// SPDX-License-Identifier: Apache-2.0
#include "merger/output/link_tables.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "trace/format/h5.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReleaseEvery = 1 << 18;  // rows

std::int64_t difference(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); }

/// A column of /events that has been written, read in ascending order.
template <class T>
class EventColumn {
 public:
  static Result<EventColumn> open(hid_t file, MergedColumn column) {
    MERIDIAN_TRY(ColumnReader reader, ColumnReader::open(file, info(column).path));
    return EventColumn{std::move(reader)};
  }
  Result<T> at(std::uint64_t row) {
    if (row < first_ || row >= first_ + values_.size()) {
      first_ = row / kColumnChunk * kColumnChunk;
      values_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kColumnChunk, reader_.size() - first_)));
      MERIDIAN_TRY_DO(reader_.read(first_, std::span<T>{values_}));
    }
    return values_[static_cast<std::size_t>(row - first_)];
  }

 private:
  explicit EventColumn(ColumnReader reader) : reader_{std::move(reader)} {}
  ColumnReader reader_;
  std::uint64_t first_ = 0;
  std::vector<T> values_;
};

}  // namespace

Status OrderColumn::write(hid_t file, MergedColumn order, MergedColumn index) {
  MERIDIAN_TRY(LongColumn numbers, LongColumn::create(file, order));
  MERIDIAN_TRY(LongColumn blocks, LongColumn::create(file, index));
  const auto take = [&](const PlacedRow& row) {
    const std::uint64_t place = numbers.size();
    if (place % kIndexRows == 0) blocks.push(static_cast<std::int64_t>(row.key));
    numbers.push(difference(row.number, place));
    return numbers.store_if_long();
  };
  MERIDIAN_TRY_DO(rows_.drain(take));
  MERIDIAN_TRY_DO(numbers.finish());
  return blocks.finish();
}

Status MessageLinks::append(std::span<const MatchedMessage> messages, const EventTable& events) {
  for (const MatchedMessage& message : messages) {
    MERIDIAN_TRY(const std::uint64_t send, events.slot(message.send));
    MERIDIAN_TRY(const std::uint64_t post, events.slot(message.post));
    MERIDIAN_TRY(const std::uint64_t completion, events.slot(message.completion));
    messages_.append({send, post, completion, message.bytes, message.comm, message.tag});
  }
  return messages_.seal();
}

Status MessageLinks::write(hid_t file, const EventTable& events) {
  SortedSpool<Message> sorted{scratch_};
  std::uint64_t done = 0;
  SpoolReader<Message> reader{messages_};
  for (const Message* message = reader.next(); message != nullptr; message = reader.next()) {
    Message placed = *message;
    placed.key = events.row(message->key);
    placed.post = events.row(message->post);
    placed.completion = events.row(message->completion);
    MERIDIAN_TRY_DO(sorted.append(placed));
    if (++done % kReleaseEvery == 0) events.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  messages_ = {};

  using enum MergedColumn;
  MERIDIAN_TRY(LongColumn send_step, LongColumn::create(file, message_send_step));
  MERIDIAN_TRY(LongColumn completion, LongColumn::create(file, message_completion));
  MERIDIAN_TRY(LongColumn post, LongColumn::create(file, message_post));
  MERIDIAN_TRY(ShortColumn comm, ShortColumn::create(file, message_comm));
  MERIDIAN_TRY(ShortColumn tag, ShortColumn::create(file, message_tag));
  MERIDIAN_TRY(LongColumn bytes, LongColumn::create(file, message_bytes));
  MERIDIAN_TRY(LongColumn blocks, LongColumn::create(file, index_send));
  MERIDIAN_TRY(auto event_comms, EventColumn<std::int32_t>::open(file, event_comm));
  MERIDIAN_TRY(auto event_tags, EventColumn<std::int32_t>::open(file, event_tag));
  MERIDIAN_TRY(auto event_bytes, EventColumn<std::int64_t>::open(file, event_bytes_sent));
  OrderColumn by_completion{scratch_}, by_post{scratch_};
  std::uint64_t last = 0;
  const auto take = [&](const Message& message) -> Status {
    const std::uint64_t number = send_step.size();
    if (number % kIndexRows == 0) blocks.push(static_cast<std::int64_t>(message.key));
    send_step.push(difference(message.key, std::exchange(last, message.key)));
    completion.push(difference(message.completion, message.key));
    post.push(difference(message.completion, message.post));
    MERIDIAN_TRY(const std::int32_t own_comm, event_comms.at(message.key));
    MERIDIAN_TRY(const std::int32_t own_tag, event_tags.at(message.key));
    MERIDIAN_TRY(const std::int64_t own_bytes, event_bytes.at(message.key));
    comm.push(static_cast<std::int32_t>(message.comm - static_cast<std::uint32_t>(own_comm)));
    tag.push(static_cast<std::int32_t>(static_cast<std::uint32_t>(message.tag) - static_cast<std::uint32_t>(own_tag)));
    bytes.push(difference(message.bytes, static_cast<std::uint64_t>(own_bytes)));
    MERIDIAN_TRY_DO(by_completion.append(message.completion, number));
    MERIDIAN_TRY_DO(by_post.append(message.post, number));
    for (LongColumn* column : {&send_step, &completion, &post, &bytes}) MERIDIAN_TRY_DO(column->store_if_long());
    MERIDIAN_TRY_DO(comm.store_if_long());
    return tag.store_if_long();
  };
  MERIDIAN_TRY_DO(sorted.drain(take));
  for (LongColumn* column : {&send_step, &completion, &post, &bytes, &blocks}) MERIDIAN_TRY_DO(column->finish());
  MERIDIAN_TRY_DO(comm.finish());
  MERIDIAN_TRY_DO(tag.finish());
  MERIDIAN_TRY_DO(by_completion.write(file, message_by_completion, index_completion));
  return by_post.write(file, message_by_post, index_post);
}

Status CollectiveLinks::append(std::span<const CollectivePart> parts, const EventTable& events) {
  for (const CollectivePart& part : parts) {
    MERIDIAN_TRY(const std::uint64_t start, events.slot(part.start));
    MERIDIAN_TRY(const std::uint64_t completion, events.slot(part.completion));
    parts_.append({part.instance, start, completion, part.comm, part.root, part.comm_rank,
                   static_cast<std::int32_t>(part.shape)});
  }
  return parts_.seal();
}

Status CollectiveLinks::write(hid_t file, const EventTable& events) {
  using enum MergedColumn;
  MERIDIAN_TRY(ShortColumn comm, ShortColumn::create(file, collective_comm));
  MERIDIAN_TRY(ShortColumn root, ShortColumn::create(file, collective_root));
  MERIDIAN_TRY(ShortColumn count, ShortColumn::create(file, collective_parts));
  MERIDIAN_TRY(LongColumn start_step, LongColumn::create(file, part_start_step));
  MERIDIAN_TRY(LongColumn completion, LongColumn::create(file, part_completion));
  MERIDIAN_TRY(ShortColumn comm_rank, ShortColumn::create(file, part_comm_rank));
  MERIDIAN_TRY(ShortColumn shape, ShortColumn::create(file, part_shape));
  MERIDIAN_TRY(LongColumn block_starts, LongColumn::create(file, index_part_start));
  MERIDIAN_TRY(LongColumn block_instances, LongColumn::create(file, index_part_instance));
  MERIDIAN_TRY(LongColumn block_parts, LongColumn::create(file, index_instance_part));
  OrderColumn by_start{scratch_}, by_completion{scratch_};
  std::uint64_t last = 0, instance = 0;
  std::int32_t parts_of_it = 0;
  SpoolReader<Part> reader{parts_};
  for (const Part* part = reader.next(); part != nullptr; part = reader.next()) {
    const std::uint64_t number = start_step.size();
    if (number == 0 || part->instance != instance) {
      if (number != 0) count.push(std::exchange(parts_of_it, 0));
      instance = part->instance;
      if (comm.size() % kIndexRows == 0) block_parts.push(static_cast<std::int64_t>(number));
      comm.push(static_cast<std::int32_t>(part->comm));
      root.push(part->root);
    }
    ++parts_of_it;
    const std::uint64_t start = events.row(part->start), end = events.row(part->completion);
    if (number % kIndexRows == 0) {
      block_starts.push(static_cast<std::int64_t>(start));
      block_instances.push(static_cast<std::int64_t>(comm.size() - 1));
    }
    start_step.push(difference(start, std::exchange(last, start)));
    completion.push(difference(end, start));
    comm_rank.push(part->comm_rank);
    shape.push(part->shape);
    MERIDIAN_TRY_DO(by_start.append(start, number));
    MERIDIAN_TRY_DO(by_completion.append(end, number));
    for (LongColumn* column : {&start_step, &completion}) MERIDIAN_TRY_DO(column->store_if_long());
    for (ShortColumn* column : {&comm, &root, &count, &comm_rank, &shape}) MERIDIAN_TRY_DO(column->store_if_long());
    if (number % kReleaseEvery == 0) events.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  parts_ = {};
  if (start_step.size() != 0) count.push(parts_of_it);
  for (LongColumn* column : {&start_step, &completion, &block_starts, &block_instances, &block_parts})
    MERIDIAN_TRY_DO(column->finish());
  for (ShortColumn* column : {&comm, &root, &count, &comm_rank, &shape}) MERIDIAN_TRY_DO(column->finish());
  MERIDIAN_TRY_DO(by_start.write(file, part_by_start, index_by_start));
  return by_completion.write(file, part_by_completion, index_by_completion);
}

}  // namespace meridian
