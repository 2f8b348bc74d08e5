// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <span>
#include <string>

#include "merged/user_values.hpp"
#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

const MergedSite* site_of(const EventTableRow& row) {
  const auto& sites = row.names->sites;
  return row.event.site != 0 && row.event.site < sites.size() ? &sites[row.event.site] : nullptr;
}

/// "main > solve > exchange": the functions on the way to the call, outermost first.
std::string path_text(const EventTableRow& row) {
  const auto& paths = row.names->paths;
  const auto& sites = row.names->sites;
  constexpr int kDeepest = 1000;  // a damaged file may have a loop
  std::string text;
  std::uint32_t at = row.event.path;
  for (int depth = 0; at != 0 && at < paths.size() && depth < kDeepest; at = paths[at].parent, ++depth) {
    const MergedPath& path = paths[at];
    const bool is_known = path.site != 0 && path.site < sites.size() && !sites[path.site].function.empty();
    if (!text.empty()) text.insert(0, " > ");
    text.insert(0, is_known ? sites[path.site].function : "?");
  }
  return text;
}

std::vector<QueryColumn> event_columns() {
  using Row = EventTableRow;
  return {
      {.column = column<Row>("event", "", "number of the event in the order of time, from 0",
                             [](const Row& row) { return row.event.row; }),
       .role = ColumnRole::row,
       .has_order = true},
      {.column = column<Row>("call", "", "RANK:CALL or RANK.THREAD:CALL, as `meridian order` takes it",
                             [](const Row& row) { return call_label(row.event); }),
       .needs = kFieldSequence},
      {.column = column<Row>("start_s", "s", "when the call was entered, since the start of the trace",
                             [](const Row& row) { return seconds_of(row.event.enter_ns); }),
       .role = ColumnRole::time,
       .has_order = true},
      {.column = column<Row>("end_s", "s", "when it was left",
                             [](const Row& row) { return seconds_of(row.event.leave_ns()); }),
       .role = ColumnRole::time},
      {.column = column<Row>("duration_s", "s", "end_s minus start_s; 0 for a call that did not return",
                             [](const Row& row) { return seconds_of(row.event.duration_ns); })},
      {.column = column<Row>("rank", "", "in MPI_COMM_WORLD", [](const Row& row) { return row.event.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("thread", "", "of the rank, from 0", [](const Row& row) { return row.event.thread; })},
      {.column = column<Row>("function", "", "MPI_Send; of user events the name that the program gave",
                             [](const Row& row) { return function_name(*row.names, row.event.call); }),
       .needs = kFieldCall},
      {.column = column<Row>("function_group", "", "p2p, coll, user...: the groups of MERIDIAN_LEVELS",
                             [](const Row& row) { return function_group(*row.names, row.event.call); }),
       .needs = kFieldCall},
      {.column = column<Row>("communicator", "", "its name; NULL: none, or unknown",
                             [](const Row& row) { return communicator_name(*row.names, row.event.comm); })
                     .nullable(),
       .needs = kFieldComm},
      {.column = column<Row>("peer", "", "world rank of the partner or root; NULL: none, unknown, or several",
                             [](const Row& row) { return row.event.peer; })
                     .nullable(),
       .needs = kFieldPeer},
      {.column =
           column<Row>("tag", "", "NULL: none, or several", [](const Row& row) { return row.event.tag; }).nullable(),
       .needs = kFieldTag},
      {.column = column<Row>("bytes_sent", "bytes", "by the call that issues the send",
                             [](const Row& row) { return row.event.bytes_sent; }),
       .needs = kFieldBytesSent},
      {.column = column<Row>("bytes_received", "bytes", "by the call that finds the receive complete",
                             [](const Row& row) { return row.event.bytes_received; }),
       .needs = kFieldBytesReceived},
      {.column = column<Row>("calls", "", "1; of a phase of polls that found nothing, or of fused calls, their number",
                             [](const Row& row) { return row.event.calls; }),
       .needs = kFieldCalls},
      {.column = column<Row>("outside_s", "s", "of such an event, time between its calls; otherwise 0",
                             [](const Row& row) { return seconds_of(row.event.outside_ns); }),
       .needs = kFieldOutside},
      {.column = column<Row>("caller", "", "function that contains the call; NULL: unknown",
                             [](const Row& row) {
                               const MergedSite* const site = site_of(row);
                               return site == nullptr ? std::string{} : site->function;
                             })
                     .nullable(),
       .needs = kFieldSite},
      {.column = column<Row>("file", "", "source file of the call; NULL: unknown",
                             [](const Row& row) {
                               const MergedSite* const site = site_of(row);
                               return site == nullptr ? std::string{} : site->file;
                             })
                     .nullable(),
       .needs = kFieldSite},
      {.column = column<Row>("line", "", "source line of the call; NULL: unknown",
                             [](const Row& row) {
                               const MergedSite* const site = site_of(row);
                               return site == nullptr || site->line == 0 ? std::int64_t{-1} : std::int64_t{site->line};
                             })
                     .nullable(),
       .needs = kFieldSite},
      {.column = column<Row>("path", "", "functions on the way to the call, outermost first; NULL: not recorded",
                             [](const Row& row) { return path_text(row); })
                     .nullable(),
       .needs = kFieldPath},
      {.column = column<Row>("fields", "", "values of a user event: thief=3 why=full; NULL: it has none",
                             [](const Row& row) { return row.fields; })
                     .nullable(),
       .needs = kNeedsUserFields | kFieldCall},
      {.column = column<Row>("is_failed", "", "whether it did not return MPI_SUCCESS",
                             [](const Row& row) { return (row.event.flags & kFlagFailed) != 0; }),
       .needs = kFieldFlags},
      {.column = column<Row>("is_unfinished", "", "whether it had not returned when the trace ended",
                             [](const Row& row) { return (row.event.flags & kFlagUnfinished) != 0; }),
       .needs = kFieldFlags},
      {.column = column<Row>("flags", "", "sum of RecordFlag, see merged/FORMAT.md",
                             [](const Row& row) { return row.event.flags; }),
       .needs = kFieldFlags},
  };
}

class EventSource final : public RowSource {
 public:
  EventSource(const MergedTrace& trace, EventWalk walk, bool has_fields)
      : walk_{std::move(walk)}, row_{{}, &trace.definitions()} {
    if (has_fields) values_.emplace(trace);
  }
  Result<bool> next() override {
    MERIDIAN_TRY(const MergedEvent* const event, walk_.next());
    if (event == nullptr) return false;
    row_.event = *event;
    if (values_) {
      MERIDIAN_TRY(const std::span<const NamedValue> values, values_->of(*event));
      row_.fields = text_of(values);
    }
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  EventWalk walk_;
  std::optional<UserValues> values_;
  EventTableRow row_;
};

/// One event, known by its number.
class OneEvent final : public RowSource {
 public:
  OneEvent(const MergedTrace& trace, std::uint64_t number)
      : trace_{&trace}, values_{trace}, number_{number}, row_{{}, &trace.definitions()} {}
  Result<bool> next() override {
    if (is_read_ || number_ >= trace_->events()) return false;
    is_read_ = true;
    MERIDIAN_TRY(row_.event, trace_->event(number_));
    MERIDIAN_TRY(const std::span<const NamedValue> values, values_.of(row_.event));
    row_.fields = text_of(values);
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  const MergedTrace* trace_;
  UserValues values_;
  std::uint64_t number_;
  bool is_read_ = false;
  EventTableRow row_;
};

Result<std::unique_ptr<RowSource>> open_events(const QueryTrace& trace, const RowWindow& window) {
  if (window.number) return std::unique_ptr<RowSource>{new OneEvent{trace.trace(), *window.number}};
  MERIDIAN_TRY(EventWalk walk, EventWalk::open(trace, window, {.fields = window.needs & kAllFields}, "events"));
  return std::unique_ptr<RowSource>{
      new EventSource{trace.trace(), std::move(walk), (window.needs & kNeedsUserFields) != 0}};
}

}  // namespace

QueryTable events_table() {
  return {.name = "events",
          .text =
              "one row for each call and user event, in the order of time; for polls that found nothing, one for "
              "each phase of them",
          .columns = event_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().events(); },
          .open = &open_events};
}

}  // namespace meridian
