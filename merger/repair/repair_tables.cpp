// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_tables.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace meridian {
namespace {

std::string name_of(const EventRef& ref) {
  return "call " + std::to_string(ref.event) + " of rank " + std::to_string(ref.rank) + ", thread " +
         std::to_string(ref.thread);
}

}  // namespace

Result<RepairTables> RepairTables::create(RepairInput input, TempSpool<MatchedMessage>& messages,
                                          TempSpool<CollectivePart>& collectives,
                                          const std::filesystem::path& scratch) {
  RepairTables tables;
  tables.streams = std::move(input.streams);
  tables.times = std::move(input.times);
  const auto& streams = tables.streams;
  if (!streams.empty()) {
    const auto [low, high] = std::minmax_element(
        streams.begin(), streams.end(), [](const RepairStream& a, const RepairStream& b) { return a.rank < b.rank; });
    tables.lowest_rank_ = low->rank;
    tables.first_stream_.assign(static_cast<std::size_t>(high->rank - low->rank) + 1, UINT32_MAX);
    tables.chains = streams.back().chain + 1;
  }
  for (std::size_t s = streams.size(); s-- > 0;)
    tables.first_stream_[static_cast<std::size_t>(streams[s].rank - tables.lowest_rank_)] =
        static_cast<std::uint32_t>(s);

  MERIDIAN_TRY(tables.moved, MappedArray<TimePair>::create(scratch, tables.times.size()));
  MERIDIAN_TRY(tables.uses, MappedArray<EventUses>::create(scratch, tables.times.size()));
  MERIDIAN_TRY(tables.messages, MappedArray<MessageNode>::create(scratch, messages.size()));
  MERIDIAN_TRY(tables.parts, MappedArray<PartNode>::create(scratch, collectives.size()));
  MERIDIAN_TRY(tables.collectives, CollectiveTable::create(collectives, scratch));
  MERIDIAN_TRY_DO(tables.link_messages(messages));
  MERIDIAN_TRY_DO(tables.link_parts(collectives));
  tables.release_pages();
  return tables;
}

const RepairStream* RepairTables::find_stream(const EventRef& ref) const {
  const std::int64_t place = std::int64_t{ref.rank} - lowest_rank_;
  if (place < 0 || place >= static_cast<std::int64_t>(first_stream_.size())) return nullptr;
  const std::size_t first = first_stream_[static_cast<std::size_t>(place)];
  if (const std::size_t likely = first + ref.thread; likely < streams.size())
    if (streams[likely].rank == ref.rank && streams[likely].thread == ref.thread) return &streams[likely];
  for (std::size_t s = first; s < streams.size(); ++s) {
    if (streams[s].rank != ref.rank) return nullptr;
    if (streams[s].thread == ref.thread) return &streams[s];
  }
  return nullptr;
}

std::uint64_t RepairTables::row_of(const EventRef& ref) const {
  const RepairStream* const stream = find_stream(ref);
  MERIDIAN_CHECK(stream != nullptr && ref.event < stream->events);
  return stream->first + ref.event;
}

Result<std::uint64_t> RepairTables::checked_row(const EventRef& ref, const char* what) const {
  const RepairStream* const stream = find_stream(ref);
  if (stream == nullptr || ref.event >= stream->events)
    return Error{Errc::invalid_argument,
                 std::string{"cannot order "} + what + ": " + name_of(ref) + " is not in the trace", ""};
  return stream->first + ref.event;
}

Status RepairTables::link_messages(TempSpool<MatchedMessage>& spool) {
  TempSpoolReader<MatchedMessage> reader{spool};
  std::uint64_t i = 0;
  for (const MatchedMessage* message = reader.next(); message != nullptr; message = reader.next(), ++i) {
    MERIDIAN_TRY(const std::uint64_t sender, checked_row(message->send, "a message"));
    MERIDIAN_TRY(const std::uint64_t receiver, checked_row(message->completion, "a message"));
    MERIDIAN_TRY_DO(checked_row(message->post, "a message"));
    messages[i].next_send = std::exchange(uses[sender].at_enter, Use{Use::send, i});
    messages[i].next_receive = std::exchange(uses[receiver].at_leave, Use{Use::receive, i});
    if (i % kRowsBetweenReleases == 0) release_pages();
  }
  return reader.status();
}

Status RepairTables::link_parts(TempSpool<CollectivePart>& spool) {
  TempSpoolReader<CollectivePart> reader{spool};
  std::uint64_t i = 0;
  for (const CollectivePart* part = reader.next(); part != nullptr; part = reader.next(), ++i) {
    MERIDIAN_TRY(const std::uint64_t start, checked_row(part->start, "a collective"));
    MERIDIAN_TRY(const std::uint64_t end, checked_row(part->completion, "a collective"));
    parts[i].part = {part->instance, 0, part->comm_rank, 0};
    if (part->shape == CollectiveShape::none) continue;
    parts[i].next_enter = std::exchange(uses[start].at_enter, Use{Use::part_enter, i});
    parts[i].next_leave = std::exchange(uses[end].at_leave, Use{Use::part_leave, i});
    if (i % kRowsBetweenReleases == 0) release_pages();
  }
  return reader.status();
}

void RepairTables::release_pages() const noexcept {
  times.release_pages();
  moved.release_pages();
  uses.release_pages();
  messages.release_pages();
  parts.release_pages();
  collectives.release_pages();
}

}  // namespace meridian
