// SPDX-License-Identifier: Apache-2.0
#include "merger/output/link_tables.hpp"

#include <utility>
#include <vector>

#include "merged/model/stored_events.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {
namespace {

// Rows: each may bring pages into memory, with those around them. Collectives and awaited calls are far apart.
constexpr std::uint64_t kReleaseMessagesEvery = 1 << 13;
constexpr std::uint64_t kReleaseFewEvery = 1 << 8;

/// Columns of /events that messages are compared with: comm, tag, bytes_sent.
constexpr std::uint32_t kSendColumns = 1U << 3 | 1U << 5 | 1U << 6;

std::int64_t difference(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); }
std::int32_t difference(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b); }

}  // namespace

Status OrderColumn::write(ColumnParent file, const NumberColumn& order, const NumberColumn& index) {
  MERIDIAN_TRY(NumberWriter numbers, create_numbers(file, order));
  MERIDIAN_TRY(NumberWriter blocks, create_numbers(file, index));
  const auto take = [&](const PlacedRow& row) -> Status {
    const std::uint64_t place = numbers.size();
    if (place % kIndexRows == 0) MERIDIAN_TRY_DO(blocks.push(static_cast<std::int64_t>(row.key)));
    return numbers.push(difference(row.number, place));
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

Status MessageLinks::write(ColumnParent file, const RowMap& map) {
  SortedSpool<Message> sorted{scratch_};
  std::uint64_t done = 0;
  TempSpoolReader<Message> reader{messages_};
  for (const Message* message = reader.next(); message != nullptr; message = reader.next()) {
    Message placed = *message;
    placed.key = map.row(message->key);
    placed.post = map.row(message->post);
    placed.completion = map.row(message->completion);
    MERIDIAN_TRY_DO(sorted.append(placed));
    if (++done % kReleaseMessagesEvery == 0) map.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  map.release_pages();
  messages_ = {};

  MERIDIAN_TRY(auto links, LongTableWriter<StoredLink>::create(file, kMessages, kMessageLinkColumns));
  MERIDIAN_TRY(auto rows, LongTableWriter<StoredMessage>::create(file, kMessages, kMessageColumns));
  MERIDIAN_TRY(NumberWriter blocks, create_numbers(file, kIndexSend));
  MERIDIAN_TRY(StoredEventReader stored, StoredEventReader::open(file.id, kSendColumns, false));
  OrderColumn by_completion{scratch_}, by_post{scratch_};
  std::uint64_t last = 0;
  const auto take = [&](const Message& message) -> Status {
    const std::uint64_t number = links.size();
    if (number % kIndexRows == 0) MERIDIAN_TRY_DO(blocks.push(static_cast<std::int64_t>(message.key)));
    MERIDIAN_TRY_DO(
        links.push({difference(message.key, std::exchange(last, message.key)),
                    difference(message.completion, message.key), difference(message.completion, message.post)}));
    MERIDIAN_TRY(const auto* const block, stored.block(message.key / kIndexRows));
    const StoredEvent* const send = &block->event(static_cast<std::size_t>(message.key % kIndexRows));
    MERIDIAN_TRY_DO(
        rows.push({difference(message.comm, static_cast<std::uint32_t>(send->comm)),
                   difference(static_cast<std::uint32_t>(message.tag), static_cast<std::uint32_t>(send->tag)),
                   difference(message.bytes, static_cast<std::uint64_t>(send->bytes_sent))}));
    MERIDIAN_TRY_DO(by_completion.append(message.completion, number));
    return by_post.append(message.post, number);
  };
  MERIDIAN_TRY_DO(sorted.drain(take));
  MERIDIAN_TRY_DO(links.finish());
  MERIDIAN_TRY_DO(rows.finish());
  MERIDIAN_TRY_DO(blocks.finish());
  MERIDIAN_TRY_DO(by_completion.write(file, kMessagesByCompletion, kIndexCompletion));
  return by_post.write(file, kMessagesByPost, kIndexPost);
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

Status CollectiveLinks::write(ColumnParent file, const RowMap& map) {
  MERIDIAN_TRY(auto instances, LongTableWriter<StoredInstance>::create(file, kInstances, kInstanceColumns));
  MERIDIAN_TRY(auto links, LongTableWriter<StoredLink>::create(file, kParts, kPartLinkColumns));
  MERIDIAN_TRY(auto rows, LongTableWriter<StoredPart>::create(file, kParts, kPartColumns));
  MERIDIAN_TRY(NumberWriter block_starts, create_numbers(file, kIndexPartStart));
  MERIDIAN_TRY(NumberWriter block_instances, create_numbers(file, kIndexPartInstance));
  MERIDIAN_TRY(NumberWriter block_parts, create_numbers(file, kIndexInstancePart));
  OrderColumn by_start{scratch_}, by_completion{scratch_};
  std::uint64_t last = 0, number_of_instance = 0;
  StoredInstance instance;
  TempSpoolReader<Part> reader{parts_};
  for (const Part* part = reader.next(); part != nullptr; part = reader.next()) {
    const std::uint64_t number = links.size();
    if (number == 0 || part->instance != number_of_instance) {
      if (number != 0) MERIDIAN_TRY_DO(instances.push(instance));
      number_of_instance = part->instance;
      if (instances.size() % kIndexRows == 0) MERIDIAN_TRY_DO(block_parts.push(static_cast<std::int64_t>(number)));
      instance = {static_cast<std::int32_t>(part->comm), part->root, 0};
    }
    ++instance.parts;
    const std::uint64_t start = map.row(part->start), end = map.row(part->completion);
    if (number % kIndexRows == 0) {
      MERIDIAN_TRY_DO(block_starts.push(static_cast<std::int64_t>(start)));
      MERIDIAN_TRY_DO(block_instances.push(static_cast<std::int64_t>(instances.size())));
    }
    MERIDIAN_TRY_DO(links.push({difference(start, std::exchange(last, start)), difference(end, start), 0}));
    MERIDIAN_TRY_DO(rows.push({part->comm_rank, part->shape}));
    MERIDIAN_TRY_DO(by_start.append(start, number));
    MERIDIAN_TRY_DO(by_completion.append(end, number));
    if (number % kReleaseFewEvery == 0) map.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  map.release_pages();
  parts_ = {};
  if (links.size() != 0) MERIDIAN_TRY_DO(instances.push(instance));
  MERIDIAN_TRY_DO(instances.finish());
  MERIDIAN_TRY_DO(links.finish());
  MERIDIAN_TRY_DO(rows.finish());
  for (NumberWriter* numbers : {&block_starts, &block_instances, &block_parts}) MERIDIAN_TRY_DO(numbers->finish());
  MERIDIAN_TRY_DO(by_start.write(file, kPartsByStart, kIndexByStart));
  return by_completion.write(file, kPartsByCompletion, kIndexByCompletion);
}

Status AwaitedLinks::append(std::span<const AwaitedCall> calls, const EventTable& events) {
  for (const AwaitedCall& call : calls) {
    MERIDIAN_TRY(const std::uint64_t waiter, events.slot(call.call));
    MERIDIAN_TRY(const std::uint64_t causer, events.slot(call.causer));
    calls_.append({waiter, causer, static_cast<std::int64_t>(call.kind)});
  }
  return calls_.seal();
}

Status AwaitedLinks::write(ColumnParent file, const RowMap& map) {
  if (calls_.size() == 0) return {};
  SortedSpool<Awaited> sorted{scratch_};
  std::uint64_t done = 0;
  TempSpoolReader<Awaited> reader{calls_};
  for (const Awaited* call = reader.next(); call != nullptr; call = reader.next()) {
    MERIDIAN_TRY_DO(sorted.append({map.row(call->key), map.row(call->causer), call->kind}));
    if (++done % kReleaseFewEvery == 0) map.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  map.release_pages();
  calls_ = {};
  MERIDIAN_TRY(auto links, LongTableWriter<StoredLink>::create(file, kAwaited, kAwaitedLinkColumns));
  MERIDIAN_TRY(auto rows, LongTableWriter<StoredAwaited>::create(file, kAwaited, kAwaitedColumns));
  MERIDIAN_TRY(NumberWriter blocks, create_numbers(file, kIndexAwaited));
  std::uint64_t last = 0;
  const auto take = [&](const Awaited& call) -> Status {
    if (links.size() % kIndexRows == 0) MERIDIAN_TRY_DO(blocks.push(static_cast<std::int64_t>(call.key)));
    MERIDIAN_TRY_DO(
        links.push({difference(call.key, std::exchange(last, call.key)), difference(call.causer, call.key), 0}));
    return rows.push({static_cast<std::int32_t>(call.kind)});
  };
  MERIDIAN_TRY_DO(sorted.drain(take));
  MERIDIAN_TRY_DO(links.finish());
  MERIDIAN_TRY_DO(rows.finish());
  return blocks.finish();
}

Status UserValueLinks::write(ColumnParent file, const RowMap& map) {
  if (words_.size() == 0) return {};
  SortedSpool<Word> sorted{scratch_};
  std::uint64_t done = 0;
  TempSpoolReader<Word> reader{words_};
  for (const Word* word = reader.next(); word != nullptr; word = reader.next()) {
    MERIDIAN_TRY_DO(sorted.append({map.row(word->key), word->word}));
    if (++done % kReleaseMessagesEvery == 0) map.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  map.release_pages();
  words_ = {};
  MERIDIAN_TRY(auto links, LongTableWriter<StoredLink>::create(file, kUserValues, kUserValueLinkColumns));
  MERIDIAN_TRY(auto rows, LongTableWriter<StoredWord>::create(file, kUserValues, kUserValueColumns));
  MERIDIAN_TRY(NumberWriter blocks, create_numbers(file, kIndexUserValue));
  std::uint64_t last = 0;
  const auto take = [&](const Word& word) -> Status {
    if (links.size() % kIndexRows == 0) MERIDIAN_TRY_DO(blocks.push(static_cast<std::int64_t>(word.key)));
    MERIDIAN_TRY_DO(links.push({difference(word.key, std::exchange(last, word.key)), 0, 0}));
    return rows.push({static_cast<std::int64_t>(word.word)});
  };
  MERIDIAN_TRY_DO(sorted.drain(take));
  MERIDIAN_TRY_DO(links.finish());
  MERIDIAN_TRY_DO(rows.finish());
  return blocks.finish();
}

}  // namespace meridian
