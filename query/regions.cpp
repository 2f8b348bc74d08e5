// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>

#include "merged/model/open_regions.hpp"
#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::string_view kUserGroup = "user";

struct RegionRow {
  MergedEvent begin;
  std::int64_t end_ns = -1;  ///< -1: it did not end
  std::int64_t end_event = -1;
  std::uint64_t depth = 0;
  const MergedDefinitions* names = nullptr;

  double end_s() const noexcept {
    return end_event < 0 ? std::numeric_limits<double>::quiet_NaN() : seconds_of(end_ns);
  }
};

std::vector<QueryColumn> region_columns() {
  using Row = RegionRow;
  return {
      {.column = column<Row>("name", "", "that the program gave",
                             [](const Row& row) { return function_name(*row.names, row.begin.call); })},
      {.column = column<Row>("rank", "", "in MPI_COMM_WORLD", [](const Row& row) { return row.begin.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("thread", "", "of the rank, from 0", [](const Row& row) { return row.begin.thread; })},
      {.column = column<Row>("depth", "", "regions around it in its thread; 0: outermost",
                             [](const Row& row) { return row.depth; })},
      {.column = column<Row>("start_s", "s", "when it began, since the start of the trace",
                             [](const Row& row) { return seconds_of(row.begin.enter_ns); })},
      {.column =
           column<Row>("end_s", "s", "when it ended; NULL: it did not", [](const Row& row) { return row.end_s(); }),
       .role = ColumnRole::latest_time},
      {.column = column<Row>("duration_s", "s", "end_s minus start_s",
                             [](const Row& row) {
                               return row.end_event < 0 ? row.end_s() : seconds_of(row.end_ns - row.begin.enter_ns);
                             })},
      {.column = column<Row>("start_event", "", "event that began it", [](const Row& row) { return row.begin.row; })},
      {.column = column<Row>("end_event", "", "event that ended it; NULL: it did not end",
                             [](const Row& row) { return row.end_event; })
                     .nullable()},
  };
}

/// The regions of the program that end before a time, in the order of their ends; then those that did not end.
class RegionSource final : public RowSource {
 public:
  RegionSource(const MergedDefinitions& names, EventWalk walk)
      : names_{&names}, walk_{std::move(walk)}, open_(names.locations.size()) {}

  Result<bool> next() override {
    while (ended_.empty()) {
      MERIDIAN_TRY(const MergedEvent* const event, walk_.next());
      if (event == nullptr) return next_open();
      if (function_group(*names_, event->call) == kUserGroup) add(*event);
    }
    row_ = ended_.front();
    ended_.pop_front();
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  void add(const MergedEvent& event) {
    OpenRegions<MergedEvent>& open = open_[event.location];
    if ((event.flags & kFlagBegins) != 0) open.begin(event.call, event);
    if ((event.flags & kFlagEnds) == 0) return;
    open.end(event.call, [&](const auto& region) {
      ended_.push_back({region.data, event.enter_ns, static_cast<std::int64_t>(event.row), open.size(), names_});
    });
  }

  bool next_open() {
    while (location_ < open_.size() && open_[location_].empty()) ++location_;
    if (location_ == open_.size()) return false;
    OpenRegions<MergedEvent>& open = open_[location_];
    open.end(open.innermost().call, [&](const auto& region) { row_ = {region.data, -1, -1, open.size(), names_}; });
    return true;
  }

  const MergedDefinitions* names_;
  EventWalk walk_;
  std::vector<OpenRegions<MergedEvent>> open_;  // [location]
  std::deque<RegionRow> ended_;
  std::size_t location_ = 0;
  RegionRow row_;
};

Result<std::unique_ptr<RowSource>> open_regions(const QueryTrace& trace, const RowWindow& window) {
  const MergedDefinitions& names = trace.trace().definitions();
  RowWindow wanted = window;
  wanted.from_ns = std::numeric_limits<std::int64_t>::min();  // a region is known from its beginning on
  if (std::ranges::find(names.calls, kUserGroup, &MergedCall::group) == names.calls.end()) wanted.ranks.emplace();
  MERIDIAN_TRY(EventWalk walk, EventWalk::open(trace, wanted, {.fields = kFieldCall | kFieldFlags}, "regions"));
  return std::unique_ptr<RowSource>{new RegionSource{names, std::move(walk)}};
}

}  // namespace

QueryTable regions_table() {
  return {.name = "regions",
          .text = "one row for each time that a thread was in a region of the program, in the order of their ends",
          .columns = region_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().events(); },
          .open = &open_regions};
}

}  // namespace meridian
