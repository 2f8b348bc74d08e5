// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNeedsLeave = 1;

struct ParticipantRow {
  MergedPart part;
  MergedEvent start, completion;
  const MergedDefinitions* names = nullptr;
};

std::vector<QueryColumn> participant_columns() {
  using Row = ParticipantRow;
  return {
      {.column =
           column<Row>("collective", "", "number of the collective", [](const Row& row) { return row.part.instance; }),
       .role = ColumnRole::number},
      {.column = column<Row>("function", "", "MPI_Bcast",
                             [](const Row& row) { return function_name(*row.names, row.start.call); })},
      {.column = column<Row>("communicator", "", "its name; NULL: unknown",
                             [](const Row& row) { return communicator_name(*row.names, row.part.comm); })
                     .nullable()},
      {.column = column<Row>("rank", "", "in MPI_COMM_WORLD", [](const Row& row) { return row.start.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("rank_in_communicator", "", "of the participant",
                             [](const Row& row) { return row.part.comm_rank; })},
      {.column = column<Row>("enter_s", "s", "when the rank entered it, since the start of the trace",
                             [](const Row& row) { return seconds_of(row.start.enter_ns); }),
       .role = ColumnRole::time,
       .has_order = true},
      {.column = column<Row>("leave_s", "s", "when the call that completed it was left",
                             [](const Row& row) { return seconds_of(row.completion.leave_ns()); }),
       .role = ColumnRole::latest_time,
       .needs = kNeedsLeave},
      {.column = column<Row>("bytes_sent", "bytes", "by this rank, as merged/FORMAT.md counts them",
                             [](const Row& row) { return row.start.bytes_sent; })},
      {.column = column<Row>("bytes_received", "bytes", "by this rank",
                             [](const Row& row) { return row.start.bytes_received; })},
      {.column = column<Row>("enter_call", "", "RANK:CALL of the call that entered it",
                             [](const Row& row) { return call_label(row.start); })},
      {.column = column<Row>("leave_call", "", "RANK:CALL of the call that completed it; the same if it blocks",
                             [](const Row& row) { return call_label(row.completion); }),
       .needs = kNeedsLeave},
      {.column = column<Row>("enter_event", "", "event of enter_call", [](const Row& row) { return row.part.start; })},
      {.column =
           column<Row>("leave_event", "", "event of leave_call", [](const Row& row) { return row.part.completion; })},
  };
}

Status read_participant(const MergedTrace& trace, std::uint32_t needs, const MergedEvent* start, ParticipantRow& row) {
  row.names = &trace.definitions();
  if (start != nullptr) {
    row.start = *start;
  } else {
    MERIDIAN_TRY(row.start, trace.event(row.part.start));
  }
  row.completion = row.start;
  if (row.part.completion != row.part.start && (needs & kNeedsLeave) != 0) {
    MERIDIAN_TRY(row.completion, trace.event(row.part.completion));
  }
  return {};
}

/// The participants that enter in a window, in the order of their enters.
class ParticipantSource final : public RowSource {
 public:
  ParticipantSource(const MergedTrace& trace, LinkWalk walk, std::uint32_t needs)
      : trace_{&trace}, walk_{std::move(walk)}, needs_{needs} {}

  Result<bool> next() override {
    MERIDIAN_TRY(const EventLink* const link, walk_.next());
    if (link == nullptr) return false;
    MERIDIAN_TRY(row_.part, trace_->part(link->number));
    MERIDIAN_TRY_DO(read_participant(*trace_, needs_, &walk_.event(), row_));
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  const MergedTrace* trace_;
  LinkWalk walk_;
  std::uint32_t needs_;
  ParticipantRow row_;
};

/// The participants of one collective, by their rank in its communicator.
class MemberSource final : public RowSource {
 public:
  MemberSource(const MergedTrace& trace, std::uint64_t first, std::uint64_t end, std::uint32_t needs)
      : trace_{&trace}, at_{first}, end_{end}, needs_{needs} {}

  Result<bool> next() override {
    if (at_ == end_) return false;
    MERIDIAN_TRY(row_.part, trace_->part(at_++));
    MERIDIAN_TRY_DO(read_participant(*trace_, needs_, nullptr, row_));
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  const MergedTrace* trace_;
  std::uint64_t at_, end_;
  std::uint32_t needs_;
  ParticipantRow row_;
};

Result<std::unique_ptr<RowSource>> open_participants(const QueryTrace& source, const RowWindow& window) {
  const MergedTrace& trace = source.trace();
  if (window.number) {
    if (*window.number >= trace.instances())
      return std::unique_ptr<RowSource>{new MemberSource{trace, 0, 0, window.needs}};
    MERIDIAN_TRY(const MergedPart part, source.first_part(*window.number));
    const auto parts = static_cast<std::uint64_t>(std::max(part.parts, 0));
    return std::unique_ptr<RowSource>{new MemberSource{trace, part.first_part, part.first_part + parts, window.needs}};
  }
  constexpr std::uint32_t kFields = kFieldSequence | kFieldCall | kFieldBytesSent | kFieldBytesReceived;
  MERIDIAN_TRY(LinkWalk walk, LinkWalk::open(source, window, kFields, LinkKind::entered, "participants"));
  return std::unique_ptr<RowSource>{new ParticipantSource{trace, std::move(walk), window.needs}};
}

}  // namespace

QueryTable participants_table() {
  return {.name = "participants",
          .text = "one row for each rank in each collective operation, in the order of its enter",
          .columns = participant_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().parts(); },
          .open = &open_participants};
}

}  // namespace meridian
