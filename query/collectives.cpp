// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>

#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

struct CollectiveRow {
  MergedPart part;          ///< any of its participants
  MergedEvent first, last;  ///< the events that entered it first and last
  std::int64_t leave_ns = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  const MergedDefinitions* names = nullptr;
};

std::vector<QueryColumn> collective_columns() {
  using Row = CollectiveRow;
  return {
      {.column = column<Row>("collective", "", "number, from 0", [](const Row& row) { return row.part.instance; }),
       .role = ColumnRole::number},
      {.column = column<Row>("function", "", "MPI_Bcast",
                             [](const Row& row) { return function_name(*row.names, row.first.call); })},
      {.column = column<Row>("communicator", "", "its name; NULL: unknown",
                             [](const Row& row) { return communicator_name(*row.names, row.part.comm); })
                     .nullable()},
      {.column =
           column<Row>("root", "", "rank in the communicator; NULL: none", [](const Row& row) { return row.part.root; })
               .nullable()},
      {.column =
           column<Row>("participants", "", "ranks that took part", [](const Row& row) { return row.part.parts; })},
      {.column = column<Row>("start_s", "s", "when the first rank entered it, since the start of the trace",
                             [](const Row& row) { return seconds_of(row.first.enter_ns); }),
       .role = ColumnRole::time,
       .has_order = true},
      {.column = column<Row>("last_enter_s", "s", "when the last rank entered it",
                             [](const Row& row) { return seconds_of(row.last.enter_ns); }),
       .role = ColumnRole::latest_time},
      {.column = column<Row>("end_s", "s", "when the last rank left it",
                             [](const Row& row) { return seconds_of(row.leave_ns); }),
       .role = ColumnRole::latest_time},
      {.column = column<Row>("spread_s", "s", "last_enter_s minus start_s",
                             [](const Row& row) { return seconds_of(row.last.enter_ns - row.first.enter_ns); })},
      {.column = column<Row>("first_rank", "", "that entered it first", [](const Row& row) { return row.first.rank; })},
      {.column = column<Row>("last_rank", "", "that entered it last", [](const Row& row) { return row.last.rank; })},
      {.column = column<Row>("bytes_sent", "bytes", "by all ranks, as merged/FORMAT.md counts them",
                             [](const Row& row) { return row.bytes_sent; })},
      {.column =
           column<Row>("bytes_received", "bytes", "by all ranks", [](const Row& row) { return row.bytes_received; })},
  };
}

/// Fills in a row from all participants of an instance.
Status read_collective(const MergedTrace& trace, const MergedPart& part, CollectiveRow& row) {
  row = {};
  row.part = part;
  row.names = &trace.definitions();
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(std::max(part.parts, 0)); ++i) {
    MERIDIAN_TRY(const MergedPart member, trace.part(part.first_part + i));
    MERIDIAN_TRY(const MergedEvent start, trace.event(member.start));
    MERIDIAN_TRY(const MergedEvent completion, trace.event(member.completion));
    if (i == 0 || start.row < row.first.row) row.first = start;
    if (i == 0 || start.row > row.last.row) row.last = start;
    row.leave_ns = i == 0 ? completion.leave_ns() : std::max(row.leave_ns, completion.leave_ns());
    row.bytes_sent += start.bytes_sent;
    row.bytes_received += start.bytes_received;
  }
  return {};
}

/// The collectives that begin in a window, in the order of their first enters.
class CollectiveSource final : public RowSource {
 public:
  CollectiveSource(const MergedTrace& trace, LinkWalk walk) : trace_{&trace}, walk_{std::move(walk)} {}

  Result<bool> next() override {
    for (;;) {
      MERIDIAN_TRY(const EventLink* const link, walk_.next());
      if (link == nullptr) return false;
      MERIDIAN_TRY(const bool is_first, enters_first(link->number));
      if (is_first) return true;
    }
  }
  const void* row() const override { return &row_; }

 private:
  /// Whether the participant is the first one of its instance, which is then read.
  Result<bool> enters_first(std::uint64_t number) {
    MERIDIAN_TRY(const MergedPart part, trace_->part(number));
    if (const auto known = first_rows_.find(part.instance); known != first_rows_.end())
      if (known->second != part.start) return false;
    MERIDIAN_TRY_DO(read_collective(*trace_, part, row_));
    if (first_rows_.emplace(part.instance, row_.first.row).second) {
      recent_.push_back(part.instance);
      if (recent_.size() > kMostRecent) {
        first_rows_.erase(recent_.front());
        recent_.pop_front();
      }
    }
    return row_.first.row == part.start;
  }

  static constexpr std::size_t kMostRecent = 4096;

  const MergedTrace* trace_;
  LinkWalk walk_;
  CollectiveRow row_;
  std::unordered_map<std::uint64_t, std::uint64_t> first_rows_;  // [instance]: of the latest ones
  std::deque<std::uint64_t> recent_;
};

class OneCollective final : public RowSource {
 public:
  OneCollective(const QueryTrace& trace, std::uint64_t number) : trace_{&trace}, number_{number} {}
  Result<bool> next() override {
    if (is_read_ || number_ >= trace_->trace().instances()) return false;
    is_read_ = true;
    MERIDIAN_TRY(const MergedPart part, trace_->first_part(number_));
    MERIDIAN_TRY_DO(read_collective(trace_->trace(), part, row_));
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  const QueryTrace* trace_;
  std::uint64_t number_;
  bool is_read_ = false;
  CollectiveRow row_;
};

Result<std::unique_ptr<RowSource>> open_collectives(const QueryTrace& trace, const RowWindow& window) {
  if (window.number) return std::unique_ptr<RowSource>{new OneCollective{trace, *window.number}};
  MERIDIAN_TRY(LinkWalk walk, LinkWalk::open(trace, window, 0, LinkKind::entered, "collectives"));
  return std::unique_ptr<RowSource>{new CollectiveSource{trace.trace(), std::move(walk)}};
}

}  // namespace

QueryTable collectives_table() {
  return {.name = "collectives",
          .text = "one row for each collective operation, in the order of its first enter",
          .columns = collective_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().instances(); },
          .open = &open_collectives};
}

}  // namespace meridian
