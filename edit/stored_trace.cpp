// SPDX-License-Identifier: Apache-2.0
#include "edit/stored_trace.hpp"

#include <string>
#include <vector>

#include "merged/model/clock_bounds_columns.hpp"
#include "merged/model/merged_schema.hpp"
#include "merged/model/stored_events.hpp"
#include "merged/read_clocks.hpp"
#include "merged/read_definitions.hpp"
#include "merged/read_numbers.hpp"
#include "trace/format/tables/column_table.hpp"

namespace meridian {
namespace {

/// Columns of /events that messages are compared with: comm, tag, bytes_sent.
constexpr std::uint32_t kSendColumns = 1U << 3 | 1U << 5 | 1U << 6;

/// Numbers wrap around, as they do where a damaged file adds them up.
std::uint64_t sum(std::uint64_t a, std::int64_t b) { return a + static_cast<std::uint64_t>(b); }

Error no_event() { return damaged_merged("a message, collective or wait refers to an event that is not there"); }

bool is_valid(const EditedEvent& event) {
  return is_time(event.enter_ns) && event.duration_ns >= 0 && is_time(event.duration_ns) && event.stored.calls >= 1 &&
         event.stored.outside_ns >= 0 && event.stored.outside_ns <= event.duration_ns;
}

/// The row that a site or path is, or none of a table that the file does not have.
bool is_row(std::int32_t number, std::size_t rows) {
  return number == 0 || (number > 0 && static_cast<std::size_t>(number) < rows);
}

}  // namespace

Result<StoredTrace> StoredTrace::open(const std::filesystem::path& path) {
  MERIDIAN_TRY(h5::File file, h5::open_read_only(path));
  const auto named = [&](Error error) { return h5::in_file(std::move(error), "merged file", path); };
  if (Status is_merged = require_merged(file.get()); !is_merged) return named(std::move(is_merged).error());
  auto definitions = read_definitions(file.get());
  if (!definitions) return named(std::move(definitions).error());
  StoredTrace trace{path, std::move(file), *std::move(definitions)};
  if (Status tables = trace.open_tables(); !tables) return named(std::move(tables).error());
  return trace;
}

Status StoredTrace::open_tables() {
  const hid_t file = file_.get();
  MERIDIAN_TRY(const StoredEventReader events, StoredEventReader::open(file, 0));
  MERIDIAN_TRY(const auto messages, LongTableReader<StoredLink>::open(file, kMessages, kMessageLinkColumns));
  MERIDIAN_TRY(const auto parts, LongTableReader<StoredLink>::open(file, kParts, kPartLinkColumns));
  events_ = events.size();
  messages_ = messages.size();
  parts_ = parts.size();
  event_columns_ = kEventColumnsAlways;
  if (h5::exists(file, "events/site")) ++event_columns_;
  if (event_columns_ != kEventColumnsAlways && h5::exists(file, "events/path")) ++event_columns_;
  return {};
}

Status StoredTrace::walk_events(const Take<EditedEvent>& take) const {
  MERIDIAN_TRY(StoredEventReader reader, StoredEventReader::open(file_.get(), UINT32_MAX));
  std::vector<std::uint64_t> next(definitions_.locations.size());
  EditedEvent event;
  std::uint64_t enter_ns = 0;
  for (std::uint64_t number = 0; number < blocks_of(reader.size()); ++number) {
    MERIDIAN_TRY(const auto* const block, reader.block(number));
    for (std::size_t i = 0; i < block->times.size(); ++i, ++event.row) {
      const StoredTime& time = block->times[i];
      enter_ns = sum(enter_ns, time.step_ns);
      event.location = static_cast<std::uint32_t>(time.location);
      if (event.location >= next.size()) return damaged_merged("an event has a thread that is not there");
      event.enter_ns = static_cast<std::int64_t>(enter_ns);
      event.duration_ns = time.duration_ns;
      event.stored = block->event(i);
      event.sequence = sum(next[event.location], event.stored.skipped);
      next[event.location] = event.sequence + 1;
      if (!is_valid(event)) return damaged_merged("an event has an invalid time");
      if (event.stored.call < 0 || static_cast<std::size_t>(event.stored.call) >= definitions_.calls.size() ||
          !is_row(event.stored.site, definitions_.sites.size()) ||
          !is_row(event.stored.path, definitions_.paths.size()))
        return damaged_merged("an event has a function or place that is not there");
      MERIDIAN_TRY_DO(take(event));
    }
  }
  return {};
}

Status StoredTrace::walk_messages(const Take<MessageLinks::Message>& take) const {
  const hid_t file = file_.get();
  MERIDIAN_TRY(auto links, LongTableReader<StoredLink>::open(file, kMessages, kMessageLinkColumns));
  MERIDIAN_TRY(auto rows, LongTableReader<StoredMessage>::open(file, kMessages, kMessageColumns));
  MERIDIAN_TRY(StoredEventReader sends, StoredEventReader::open(file, kSendColumns, false));
  if (rows.size() != links.size()) return damaged_merged("columns of messages differ in length");
  MessageLinks::Message message;
  for (std::uint64_t number = 0; number < links.size(); ++number) {
    MERIDIAN_TRY(const StoredLink* const link, links.at(number));
    MERIDIAN_TRY(const StoredMessage* const more, rows.at(number));
    message.key = sum(message.key, link->step);
    message.completion = sum(message.key, link->completion);
    message.post = message.completion - static_cast<std::uint64_t>(link->post);
    if (message.key >= events_ || message.completion >= events_ || message.post >= events_) return no_event();
    MERIDIAN_TRY(const auto* const block, sends.block(message.key / kIndexRows));
    const StoredEvent& send = block->event(static_cast<std::size_t>(message.key % kIndexRows));
    message.comm = static_cast<std::uint32_t>(send.comm) + static_cast<std::uint32_t>(more->comm);
    message.tag =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(send.tag) + static_cast<std::uint32_t>(more->tag));
    message.bytes = sum(static_cast<std::uint64_t>(send.bytes_sent), more->bytes);
    MERIDIAN_TRY_DO(take(message));
  }
  return {};
}

Status StoredTrace::walk_parts(const Take<CollectiveLinks::Part>& take) const {
  const hid_t file = file_.get();
  MERIDIAN_TRY(auto instances, LongTableReader<StoredInstance>::open(file, kInstances, kInstanceColumns));
  MERIDIAN_TRY(auto links, LongTableReader<StoredLink>::open(file, kParts, kPartLinkColumns));
  MERIDIAN_TRY(auto rows, LongTableReader<StoredPart>::open(file, kParts, kPartColumns));
  const auto contradiction = [] { return damaged_merged("the participants of collectives contradict them"); };
  if (rows.size() != links.size()) return contradiction();
  CollectiveLinks::Part part;
  std::uint64_t number = 0;
  for (; part.instance < instances.size(); ++part.instance) {
    MERIDIAN_TRY(const StoredInstance* const found, instances.at(part.instance));
    if (found->parts < 0 || static_cast<std::uint64_t>(found->parts) > links.size() - number) return contradiction();
    part.comm = static_cast<std::uint32_t>(found->comm);
    part.root = found->root;
    for (const std::uint64_t end = number + static_cast<std::uint64_t>(found->parts); number < end; ++number) {
      MERIDIAN_TRY(const StoredLink* const link, links.at(number));
      MERIDIAN_TRY(const StoredPart* const row, rows.at(number));
      part.start = sum(part.start, link->step);
      part.completion = sum(part.start, link->completion);
      part.comm_rank = row->comm_rank;
      part.shape = row->shape;
      if (part.start >= events_ || part.completion >= events_) return no_event();
      MERIDIAN_TRY_DO(take(part));
    }
  }
  return number == links.size() ? Status{} : Status{contradiction()};
}

template <class Row>
Status StoredTrace::walk_pairs(const char* group, std::span<const AnyColumn> columns,
                               std::span<const AnyColumn> row_columns, const Take<AwaitedLinks::Awaited>& take) const {
  const hid_t file = file_.get();
  MERIDIAN_TRY(auto links, LongTableReader<StoredLink>::open(file, group, columns));
  MERIDIAN_TRY(auto rows, LongTableReader<Row>::open(file, group, row_columns));
  if (rows.size() != links.size()) return damaged_merged(std::string{"columns of '"} + group + "' differ in length");
  AwaitedLinks::Awaited call;
  for (std::uint64_t number = 0; number < links.size(); ++number) {
    MERIDIAN_TRY(const StoredLink* const link, links.at(number));
    MERIDIAN_TRY(const Row* const row, rows.at(number));
    call.key = sum(call.key, link->step);
    call.causer = sum(call.key, link->completion);
    call.kind = row->kind;
    if (call.key >= events_ || call.causer >= events_) return no_event();
    MERIDIAN_TRY_DO(take(call));
  }
  return {};
}

Status StoredTrace::read_awaited(const Take<AwaitedLinks::Awaited>& take) const {
  if (!h5::exists(file_.get(), kAwaited)) return {};
  return named(walk_pairs<StoredAwaited>(kAwaited, kAwaitedLinkColumns, kAwaitedColumns, take));
}

Status StoredTrace::read_user_values(const Take<UserValueLinks::Word>& take) const {
  if (!h5::exists(file_.get(), kUserValues)) return {};
  const auto walk = [&]() -> Status {
    MERIDIAN_TRY(auto links, LongTableReader<StoredLink>::open(file_.get(), kUserValues, kUserValueLinkColumns));
    MERIDIAN_TRY(auto rows, LongTableReader<StoredWord>::open(file_.get(), kUserValues, kUserValueColumns));
    if (rows.size() != links.size()) return damaged_merged("columns of values of user events differ in length");
    UserValueLinks::Word word;
    for (std::uint64_t number = 0; number < links.size(); ++number) {
      MERIDIAN_TRY(const StoredLink* const link, links.at(number));
      MERIDIAN_TRY(const StoredWord* const row, rows.at(number));
      word.key = sum(word.key, link->step);
      word.word = static_cast<std::uint64_t>(row->word);
      if (word.key >= events_) return no_event();
      MERIDIAN_TRY_DO(take(word));
    }
    return {};
  };
  return named(walk());
}

Status StoredTrace::read_waits(const Take<AwaitedLinks::Awaited>& take) const {
  return named(walk_pairs<StoredWait>(kWaits, kWaitLinkColumns, kWaitColumns, take));
}

Result<StoredClocks> StoredTrace::read_clocks() const {
  StoredClocks clocks;
  auto report = read_clock_report(file_.get());
  if (!report) return named(std::move(report).error());
  clocks.report = *std::move(report);
  std::vector<ClockBoundRow> rows;  // none: there are no bounds, which is no damage
  if (Status read = read_column_table(file_.get(), kClockBounds, kClockBoundColumns, rows); !read)
    return named(std::move(read).error());
  if (rows.empty()) return clocks;
  auto bounds = read_clock_bounds(file_.get());
  if (!bounds) return named(std::move(bounds).error());
  clocks.bounds = *std::move(bounds);
  return clocks;
}

Error StoredTrace::named(Error error) const {
  return error.code != Errc::io ? h5::in_file(std::move(error), "merged file", path_) : error;
}

Result<ProcessorReader> StoredTrace::processor() const {
  auto reader = ProcessorReader::open(file_.get(), definitions_.locations.size());
  if (!reader) return named(std::move(reader).error());
  return reader;
}

Result<MemoryReader> StoredTrace::memory() const {
  auto reader = MemoryReader::open(file_.get());
  if (!reader) return named(std::move(reader).error());
  return reader;
}

Result<EnergyReader> StoredTrace::energy() const {
  auto reader = EnergyReader::open(file_.get());
  if (!reader) return named(std::move(reader).error());
  return reader;
}

Result<SampleReader> StoredTrace::samples() const {
  auto reader = SampleReader::open(file_.get(), definitions_.locations.size());
  if (!reader) return named(std::move(reader).error());
  return reader;
}

}  // namespace meridian
