// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "query/query_table.hpp"

namespace meridian {

/// The parts of events that a table needs; as in EventSelection.
struct EventParts {
  std::uint32_t fields = kAllFields;
  std::uint8_t links = kNoLinks;
  bool has_waits = false;
};

/// The events of a window one by one.
class EventWalk {
 public:
  /// table  its name, for the progress
  static Result<EventWalk> open(const QueryTrace& trace, const RowWindow& window, const EventParts& parts,
                                std::string_view table);
  /// The next event; nullptr: there is none. Valid until the next call.
  Result<const MergedEvent*> next();
  const MergedBatch& batch() const noexcept { return batch_; }

 private:
  EventWalk(const QueryTrace& trace, std::optional<EventCursor> cursor, std::string_view table)
      : trace_{&trace}, cursor_{std::move(cursor)}, table_{table} {}
  const QueryTrace* trace_;
  std::optional<EventCursor> cursor_;  // none: the window is empty
  std::string_view table_;
  MergedBatch batch_;
  std::size_t at_ = 0;
};

/// The links of one kind of the events of a window, one by one.
class LinkWalk {
 public:
  static Result<LinkWalk> open(const QueryTrace& trace, const RowWindow& window, std::uint32_t fields, LinkKind kind,
                               std::string_view table) {
    MERIDIAN_TRY(EventWalk events, EventWalk::open(trace, window, {fields, link_bit(kind), false}, table));
    return LinkWalk{std::move(events)};
  }
  /// The next link; nullptr: there is none. Valid until the next call.
  Result<const EventLink*> next();
  /// The event of the link.
  const MergedEvent& event() const noexcept { return *event_; }

 private:
  explicit LinkWalk(EventWalk events) : events_{std::move(events)} {}
  EventWalk events_;
  const MergedEvent* event_ = nullptr;
  std::size_t link_ = 0;  // of the event
};

/// "RANK:CALL", or "RANK.THREAD:CALL" of threads other than the first: as `meridian order` takes it.
std::string call_label(const MergedEvent& event);

std::string function_name(const MergedDefinitions& names, std::uint32_t call);
std::string function_group(const MergedDefinitions& names, std::uint32_t call);
std::string communicator_name(const MergedDefinitions& names, std::int32_t comm);

}  // namespace meridian
