// SPDX-License-Identifier: Apache-2.0
#include "cli/events/follow.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/events/event_text.hpp"
#include "cli/support/call_label.hpp"
#include "merged/user_values.hpp"
#include "query/event_walk.hpp"
#include "query/query_value.hpp"
#include "query/trace_tables.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

/// Prints events with what connects them.
class Connections {
 public:
  Connections(const MergedTrace& trace, ResultForm form, OutputBuffer& output)
      : trace_{trace}, values_{trace}, events_{events_table()}, output_{output} {
    if (form != ResultForm::text) {
      writer_ = make_result_writer(form, output);
      return;
    }
    std::vector<Table::Column> columns{{"in", Align::left}, {"role", Align::left}};
    std::ranges::copy(event_text_columns(), std::back_inserter(columns));
    text_.emplace(output, std::move(columns));
  }

  Status begin() {
    if (!writer_) return {};
    std::vector<std::string> names{"connection", "role"};
    for (const QueryColumn& column : events_.columns) names.emplace_back(column.column.name);
    return writer_->begin(names);
  }

  Status add(const std::string& connection, const std::string& role, const MergedEvent& event) {
    MERIDIAN_TRY(const std::span<const NamedValue> fields, values_.of(event));
    if (text_) {
      std::vector<std::string> cells{connection, role};
      std::ranges::move(event_text_cells(event, trace_.definitions(), text_of(fields)), std::back_inserter(cells));
      return without_value(text_->add(std::move(cells)));
    }
    const EventTableRow row{event, &trace_.definitions(), text_of(fields)};
    std::vector<QueryValue> values{connection, role};
    for (const QueryColumn& column : events_.columns) values.push_back(query_value(column.column, &row));
    return without_value(writer_->row(values));
  }

  Status add(const std::string& connection, const std::string& role, std::uint64_t row) {
    MERIDIAN_TRY(const MergedEvent event, trace_.event(row));
    return add(connection, role, event);
  }

  Status add_message(std::uint64_t number) {
    MERIDIAN_TRY(const MessageEnds ends, trace_.message_ends(number));
    const std::string name = "message " + std::to_string(number);
    MERIDIAN_TRY_DO(add(name, "sent", ends.send));
    if (ends.post != ends.completion) MERIDIAN_TRY_DO(add(name, "posted", ends.post));
    return add(name, "received", ends.completion);
  }

  /// any  a participant of it
  Status add_collective(const MergedPart& any) {
    const std::string name = "collective " + std::to_string(any.instance);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(std::max(any.parts, 0)); ++i) {
      MERIDIAN_TRY(const MergedPart part, trace_.part(any.first_part + i));
      const bool is_blocking = part.start == part.completion;
      MERIDIAN_TRY_DO(add(name, is_blocking ? "took part" : "entered", part.start));
      if (!is_blocking) MERIDIAN_TRY_DO(add(name, "left", part.completion));
    }
    return {};
  }

  Status add_wait(const EventWait& wait) {
    const std::string name = std::string{kWaitKindNames[static_cast<std::size_t>(wait.kind)]}.append(" ").append(
        human_duration(static_cast<double>(wait.ns) * 1e-9));
    return wait.causer == wait.row ? Status{} : add(name, "waited for", wait.causer);
  }

  Status finish() {
    if (writer_) return writer_->finish();
    MERIDIAN_TRY_DO(text_->finish());
    return without_value(output_.flush());
  }

 private:
  static Status without_value(Result<bool> result) { return result ? Status{} : Status{std::move(result).error()}; }

  const MergedTrace& trace_;
  UserValues values_;
  QueryTable events_;
  OutputBuffer& output_;
  std::unique_ptr<ResultWriter> writer_;
  std::optional<LongTextTable> text_;
};

/// The links and waits of one event.
struct EventConnections {
  std::vector<EventLink> links;
  std::vector<EventWait> waits;
};

Result<EventConnections> connections_of(const MergedTrace& trace, const MergedEvent& event) {
  MERIDIAN_TRY(EventCursor cursor, trace.select({.from_ns = event.enter_ns,
                                                 .to_ns = event.enter_ns + 1,
                                                 .ranks = {event.rank},
                                                 .fields = 0,
                                                 .has_waits = true}));
  MergedBatch batch;
  for (;;) {
    MERIDIAN_TRY(const bool has_more, cursor.next(batch));
    if (!has_more) return EventConnections{};
    const auto found = std::ranges::find(batch.events, event.row, &MergedEvent::row);
    if (found == batch.events.end()) continue;
    const auto links = batch.links_of(*found);
    const auto waits = batch.waits_of(*found);
    return EventConnections{{links.begin(), links.end()}, {waits.begin(), waits.end()}};
  }
}

Status add_call(const MergedTrace& trace, const EventRef& call, Connections& connections) {
  MERIDIAN_TRY(const std::uint64_t row, trace.find(call.rank, call.thread, call.event));
  MERIDIAN_TRY(const MergedEvent event, trace.event(row));
  MERIDIAN_TRY(const EventConnections found, connections_of(trace, event));
  MERIDIAN_TRY_DO(connections.begin());
  MERIDIAN_TRY_DO(connections.add("", "this call", event));
  std::vector<std::uint64_t> messages;  // a blocking receive posts and receives the same one
  std::vector<std::uint64_t> instances;
  for (const EventLink& link : found.links) {
    const bool is_message = link.kind != LinkKind::entered && link.kind != LinkKind::left;
    if (is_message) {
      if (std::ranges::find(messages, link.number) != messages.end()) continue;
      messages.push_back(link.number);
      MERIDIAN_TRY_DO(connections.add_message(link.number));
    } else {
      MERIDIAN_TRY(const MergedPart part, trace.part(link.number));
      if (std::ranges::find(instances, part.instance) != instances.end()) continue;
      instances.push_back(part.instance);
      MERIDIAN_TRY_DO(connections.add_collective(part));
    }
  }
  for (const EventWait& wait : found.waits) MERIDIAN_TRY_DO(connections.add_wait(wait));
  return {};
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Status follow_call(const QueryTrace& source, const std::string& what, ResultForm form, OutputBuffer& output) {
  const MergedTrace& trace = source.trace();
  Connections connections{trace, form, output};
  std::string_view text = what;
  if (const auto message = number_after(text, "message:")) {
    MERIDIAN_TRY_DO(trace.message_ends(*message));  // before anything is printed
    MERIDIAN_TRY_DO(connections.begin());
    MERIDIAN_TRY_DO(connections.add_message(*message));
  } else if (const auto collective = number_after(text, "collective:")) {
    MERIDIAN_TRY(const MergedPart part, source.first_part(*collective));
    MERIDIAN_TRY_DO(connections.begin());
    MERIDIAN_TRY_DO(connections.add_collective(part));
  } else if (const auto call = take_call_label(text); call && text.empty()) {
    MERIDIAN_TRY_DO(add_call(trace, *call, connections));
  } else {
    return Error{Errc::invalid_argument, "--follow " + what + ": that names no call, message or collective",
                 "give RANK:CALL or RANK.THREAD:CALL, message:NUMBER or collective:NUMBER"};
  }
  return connections.finish();
}

}  // namespace meridian
