// SPDX-License-Identifier: Apache-2.0
#include "summary/summary_tables.hpp"

#include <array>
#include <type_traits>
#include <utility>

namespace meridian {
namespace {

using Shape = SummaryTable::Shape;

/// A table whose rows are the elements of a member of Summary.
template <auto Member>
constexpr SummaryTable many(const char* name, std::uint8_t when_empty) {
  using Row = typename std::remove_cvref_t<decltype(std::declval<Summary>().*Member)>::value_type;
  return {.name = name,
          .columns = Row::template kColumns<>,
          .shape = Shape::many_rows,
          .count = [](const Summary& summary) { return (summary.*Member).size(); },
          .rows = [](const Summary& summary) -> const void* { return (summary.*Member).data(); },
          .make_rows = [](Summary& summary, std::size_t count) -> void* {
            (summary.*Member).assign(count, Row{});
            return (summary.*Member).data();
          },
          .row_bytes = sizeof(Row),
          .when_empty = when_empty};
}

/// A table of one row, with columns of the summary itself.
constexpr SummaryTable one(const char* name, std::span<const AnyColumn> columns, std::uint8_t outputs = kEverywhere) {
  return {.name = name,
          .columns = columns,
          .shape = Shape::one_row,
          .count = [](const Summary&) { return std::size_t{1}; },
          .rows = [](const Summary& summary) -> const void* { return &summary; },
          .make_rows = [](Summary& summary, std::size_t) -> void* { return &summary; },
          .row_bytes = sizeof(Summary),
          .outputs = outputs};
}

/// A table with its own section in the text, which is omitted everywhere if it is empty.
template <auto Member>
constexpr SummaryTable shown(const char* name, const char* heading) {
  SummaryTable table = many<Member>(name, 0);
  table.heading = heading;
  return table;
}

constexpr SummaryTable clocks() {
  SummaryTable table = many<&Summary::clocks>("clocks", kEverywhere);
  table.lists = {.name = "clock_ranks", .row = "clock", .element = "rank"};
  return table;
}

constexpr SummaryTable reversed() {
  SummaryTable table = one("reversed", Summary::kReversedColumns<>);
  table.is_flat = true;
  return table;
}

constexpr std::uint8_t kNowhere = 0;

constexpr auto kTables = std::to_array<SummaryTable>({
    // name, and outputs when it is empty
    one("run", RunSummary::kColumns<Summary>),
    many<&Summary::ranks>("ranks", kEverywhere),
    many<&Summary::functions>("functions", kEverywhere),
    many<&Summary::sites>("sites", kEverywhere),
    one("messages", MessageSummary::kColumns<Summary>),
    one("collectives", MessageSummary::kCollectiveColumns<Summary>, kInPrint),
    many<&Summary::pairs>("pairs", kEverywhere),
    clocks(),
    many<&Summary::clock_models>("clock_models", kInFile | kInJson),
    reversed(),
    many<&Summary::regions>("regions", kEverywhere),
    many<&Summary::user_events>("user_events", kEverywhere),
    one("user_messages", Summary::kUserMessageColumns<>),
    many<&Summary::passed>("passed", kInFile | kInJson),
    many<&Summary::overhead>("overhead", kEverywhere),
    many<&Summary::worlds>("worlds", kInJson),
    many<&Summary::paths>("paths", kInJson),
    many<&Summary::path_frames>("path_frames", kInJson),
    many<&Summary::communicators>("communicators", kInJson),
    many<&Summary::windows>("windows", kInJson),
    many<&Summary::files>("files", kInJson),
    many<&Summary::context>("context", kInJson),
    many<&Summary::usage>("usage", kInJson),
    many<&Summary::environment>("environment", kInJson),
    many<&Summary::counters>("counters", kInJson),
    many<&Summary::function_counters>("function_counters", kInJson),
    many<&Summary::metrics>("metrics", kInJson),
    many<&Summary::region_counters>("region_counters", kInJson),
    many<&Summary::region_metrics>("region_metrics", kInJson),
    many<&Summary::lock_names>("lock_names", kInJson),
    many<&Summary::locks>("locks", kNowhere),
    many<&Summary::threads>("threads", kNowhere),
#define MERIDIAN_TABLE(name, Row, heading) shown<&Summary::name>(#name, heading),
    MERIDIAN_ANALYSIS_TABLES(MERIDIAN_TABLE)
#undef MERIDIAN_TABLE
        many<&Summary::findings>("findings", kEverywhere),
});

}  // namespace

std::span<const SummaryTable> summary_tables() { return kTables; }

}  // namespace meridian
