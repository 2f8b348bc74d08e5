// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNeedsCauser = 1;

std::vector<QueryColumn> wait_columns() {
  using Row = WaitRow;
  return {
      {.column = column<Row>("event", "", "event of the call that waited", [](const Row& row) { return row.wait.row; }),
       .role = ColumnRole::row,
       .has_order = true},
      {.column = column<Row>(
           "kind", "", "late sender...: docs/WAITS.md defines them",
           [](const Row& row) { return std::string{kWaitKindNames[static_cast<std::size_t>(row.wait.kind)]}; })},
      {.column = column<Row>("start_s", "s", "when the wait began, since the start of the trace",
                             [](const Row& row) { return seconds_of(row.start_ns); }),
       .role = ColumnRole::time},
      {.column = column<Row>("wait_s", "s", "time waited", [](const Row& row) { return seconds_of(row.wait.ns); })},
      {.column = column<Row>("rank", "", "that waited", [](const Row& row) { return row.event.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("thread", "", "of the rank", [](const Row& row) { return row.event.thread; })},
      {.column = column<Row>("function", "", "in which it waited",
                             [](const Row& row) { return function_name(*row.names, row.event.call); })},
      {.column = column<Row>("call", "", "RANK:CALL of it", [](const Row& row) { return call_label(row.event); })},
      {.column = column<Row>("causer_rank", "", "rank that was waited for; NULL: unknown",
                             [](const Row& row) { return row.has_causer() ? row.causer.rank : -1; })
                     .nullable(),
       .needs = kNeedsCauser},
      {.column = column<Row>("causer_function", "", "whose call ended the wait; NULL: unknown",
                             [](const Row& row) {
                               return row.has_causer() ? function_name(*row.names, row.causer.call) : std::string{};
                             })
                     .nullable(),
       .needs = kNeedsCauser},
      {.column = column<Row>("causer_call", "", "RANK:CALL of it; NULL: unknown",
                             [](const Row& row) { return row.has_causer() ? call_label(row.causer) : std::string{}; })
                     .nullable(),
       .needs = kNeedsCauser},
      {.column = column<Row>("causer_event", "", "event of it; NULL: unknown",
                             [](const Row& row) {
                               return row.has_causer() ? static_cast<std::int64_t>(row.wait.causer) : std::int64_t{-1};
                             })
                     .nullable()},
  };
}

/// Fills in rows from the waits of an event, one after another.
class WaitReader {
 public:
  WaitReader(const MergedTrace& trace, std::uint32_t needs) : trace_{&trace}, needs_{needs} {}

  Status read(const MergedEvent& event, const EventWait& wait, bool is_first) {
    if (is_first || !follows_last_wait(wait.kind)) end_ns_ = event.enter_ns;
    row_ = {wait, event, {}, end_ns_, &trace_->definitions()};
    end_ns_ += wait.ns;
    if (row_.has_causer() && (needs_ & kNeedsCauser) != 0) {
      MERIDIAN_TRY(row_.causer, trace_->event(wait.causer));
    }
    return {};
  }
  const WaitRow& row() const noexcept { return row_; }

 private:
  const MergedTrace* trace_;
  std::uint32_t needs_;
  std::int64_t end_ns_ = 0;  // of the wait before
  WaitRow row_;
};

/// The waits of the events in a window, in the order of the events.
class WaitSource final : public RowSource {
 public:
  WaitSource(WaitReader reader, EventWalk walk) : reader_{reader}, walk_{std::move(walk)} {}

  Result<bool> next() override {
    while (next_ == waits_.size()) {
      MERIDIAN_TRY(event_, walk_.next());
      if (event_ == nullptr) return false;
      waits_ = walk_.batch().waits.empty() ? std::span<const EventWait>{} : walk_.batch().waits_of(*event_);
      next_ = 0;
    }
    MERIDIAN_TRY_DO(reader_.read(*event_, waits_[next_], next_ == 0));
    ++next_;
    return true;
  }
  const void* row() const override { return &reader_.row(); }

 private:
  WaitReader reader_;
  EventWalk walk_;
  const MergedEvent* event_ = nullptr;
  std::span<const EventWait> waits_;
  std::size_t next_ = 0;
};

/// The waits of one event.
class WaitsOfEvent final : public RowSource {
 public:
  WaitsOfEvent(WaitReader reader, const MergedEvent& event, std::vector<EventWait> waits)
      : reader_{reader}, event_{event}, waits_{std::move(waits)} {}

  Result<bool> next() override {
    if (next_ == waits_.size()) return false;
    MERIDIAN_TRY_DO(reader_.read(event_, waits_[next_], next_ == 0));
    ++next_;
    return true;
  }
  const void* row() const override { return &reader_.row(); }

 private:
  WaitReader reader_;
  MergedEvent event_;
  std::vector<EventWait> waits_;
  std::size_t next_ = 0;
};

Result<std::unique_ptr<RowSource>> open_waits(const QueryTrace& source, const RowWindow& window) {
  const MergedTrace& trace = source.trace();
  const WaitReader reader{trace, window.needs};
  if (window.number) {
    std::vector<EventWait> waits;
    MergedEvent event;
    if (*window.number < trace.events()) MERIDIAN_TRY_DO(trace.waits(*window.number, *window.number + 1, waits));
    if (!waits.empty()) {
      MERIDIAN_TRY(event, trace.event(*window.number));
    }
    return std::unique_ptr<RowSource>{new WaitsOfEvent{reader, event, std::move(waits)}};
  }
  MERIDIAN_TRY(EventWalk walk, EventWalk::open(source, window, {kFieldSequence | kFieldCall, kNoLinks, true}, "waits"));
  return std::unique_ptr<RowSource>{new WaitSource{reader, std::move(walk)}};
}

}  // namespace

QueryTable waits_table() {
  return {.name = "waits",
          .text =
              "one row for each wait of a call for another one, in the order of the calls that waited; none if the "
              "trace was merged without analyses",
          .columns = wait_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().events() / 4; },
          .open = &open_waits};
}

}  // namespace meridian
