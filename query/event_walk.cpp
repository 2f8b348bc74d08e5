// SPDX-License-Identifier: Apache-2.0
#include "query/event_walk.hpp"

namespace meridian {

Result<EventWalk> EventWalk::open(const QueryTrace& trace, const RowWindow& window, const EventParts& parts,
                                  std::string_view table) {
  const bool is_empty = window.from_ns >= window.to_ns || (window.ranks && window.ranks->empty());
  if (is_empty) return EventWalk{trace, std::nullopt, table};
  MERIDIAN_TRY(EventCursor cursor, trace.trace().select({.from_ns = window.from_ns,
                                                         .to_ns = window.to_ns,
                                                         .ranks = window.ranks.value_or(std::vector<std::int32_t>{}),
                                                         .is_backwards = window.is_backwards,
                                                         .fields = parts.fields,
                                                         .links = parts.links,
                                                         .has_waits = parts.has_waits}));
  return EventWalk{trace, std::move(cursor), table};
}

Result<const MergedEvent*> EventWalk::next() {
  if (at_ == batch_.events.size()) {
    if (!cursor_) return nullptr;
    MERIDIAN_TRY(const bool has_more, cursor_->next(batch_));
    at_ = 0;
    if (!has_more) {
      cursor_.reset();
      return nullptr;
    }
    trace_->report(batch_.events.front().row, table_);
  }
  return &batch_.events[at_++];
}

Result<const EventLink*> LinkWalk::next() {
  while (event_ == nullptr || link_ == event_->links) {
    MERIDIAN_TRY(event_, events_.next());
    if (event_ == nullptr) return nullptr;
    link_ = 0;
  }
  return &events_.batch().links_of(*event_)[link_++];
}

std::string call_label(const MergedEvent& event) {
  std::string label = std::to_string(event.rank);
  if (event.thread != 0) label.append(".").append(std::to_string(event.thread));
  return label.append(":").append(std::to_string(event.sequence));
}

std::string function_name(const MergedDefinitions& names, std::uint32_t call) {
  return std::string{names.call_name(call)};
}

std::string function_group(const MergedDefinitions& names, std::uint32_t call) {
  return call < names.calls.size() ? names.calls[call].group : std::string{};
}

std::string communicator_name(const MergedDefinitions& names, std::int32_t comm) {
  const auto at = static_cast<std::size_t>(comm);
  return comm >= 0 && at < names.communicators.size() ? names.communicators[at].name : std::string{};
}

}  // namespace meridian
