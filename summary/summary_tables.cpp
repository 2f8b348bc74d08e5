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
constexpr SummaryTable many(const char* name, std::uint8_t when_empty, const char* text) {
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
          .text = text,
          .when_empty = when_empty};
}

/// A table of one row, with columns of the summary itself.
constexpr SummaryTable one(const char* name, std::span<const AnyColumn> columns, const char* text,
                           std::uint8_t outputs = kEverywhere) {
  return {.name = name,
          .columns = columns,
          .shape = Shape::one_row,
          .count = [](const Summary&) { return std::size_t{1}; },
          .rows = [](const Summary& summary) -> const void* { return &summary; },
          .make_rows = [](Summary& summary, std::size_t) -> void* { return &summary; },
          .row_bytes = sizeof(Summary),
          .text = text,
          .outputs = outputs};
}

/// A table with its own section in the text, which is omitted everywhere if it is empty.
template <auto Member>
constexpr SummaryTable shown(const char* name, const char* heading, const char* text) {
  SummaryTable table = many<Member>(name, 0, text);
  table.heading = heading;
  return table;
}

constexpr SummaryTable clocks() {
  SummaryTable table =
      many<&Summary::clocks>("clocks", kEverywhere, "one row for each clock and host; global time is the reference's");
  table.lists = {.name = "clock_ranks", .row = "clock", .element = "rank"};
  return table;
}

constexpr SummaryTable reversed() {
  SummaryTable table = one("reversed", Summary::kReversedColumns<>,
                           "messages received before they were sent, and collectives left before they were entered");
  table.is_flat = true;
  return table;
}

constexpr std::uint8_t kNowhere = 0;

constexpr auto kTables = std::to_array<SummaryTable>({
    // name, and outputs when it is empty
    one("run", RunSummary::kColumns<Summary>, "one row"),
    many<&Summary::ranks>("ranks", kEverywhere, "one row a rank"),
    many<&Summary::functions>("functions", kEverywhere,
                              "one row for each function that was called, longest total first"),
    many<&Summary::function_times>("function_times", kInJson,
                                   "one row for each function: the distribution of the durations of its calls"),
    many<&Summary::sites>("sites", kEverywhere,
                          "one row for each function and call site, longest total first; empty when no call sites were "
                          "recorded (MERIDIAN_SITES)"),
    one("messages", MessageSummary::kColumns<Summary>, "point-to-point messages, one row"),
    one("collectives", MessageSummary::kCollectiveColumns<Summary>, "one row; in HDF5 a part of messages", kInPrint),
    many<&Summary::pairs>("pairs", kEverywhere, "one row for each pair of ranks with messages"),
    clocks(),
    many<&Summary::clock_models>("clock_models", kInFile | kInJson,
                                 "this trace under each clock model; empty where all ranks share one clock"),
    reversed(),
    many<&Summary::regions>("regions", kEverywhere,
                            "one row for each region that the program marked, longest total first"),
    many<&Summary::user_events>("user_events", kEverywhere, "one row for every other event that the program marked"),
    one("user_messages", Summary::kUserMessageColumns<>,
        "messages of the program's own layers, one row; they are not in messages, pairs or ranks"),
    many<&Summary::passed>("passed", kInFile | kInJson, "one row for each rank and function with filtered calls"),
    many<&Summary::overhead>("overhead", kEverywhere, "the tracer's own time"),
    many<&Summary::worlds>("worlds", kInJson, "one row for each MPI_COMM_WORLD, where there are several"),
    many<&Summary::paths>("paths", kInJson,
                          "one row for each function and call path to it, longest total first, if call stacks were "
                          "recorded (MERIDIAN_STACK)"),
    many<&Summary::path_frames>("path_frames", kInJson, "the frames of paths, from the outermost on"),
    many<&Summary::communicators>("communicators", kInJson, "one row for each name, kind and size, longest time first"),
    many<&Summary::windows>("windows", kInJson, "one row for each name on each communicator, longest time first"),
    many<&Summary::window_locks>(
        "window_locks", kInJson,
        "one row for each rank that had the lock of a target of a window that others waited for"),
    many<&Summary::files>("files", kInJson, "one row for each name, longest time first"),
    many<&Summary::context>("context", kInJson, "one row a rank"),
    many<&Summary::usage>("usage", kInJson,
                          "one row for each process, and one for each of its threads that called MPI: resources used "
                          "from its beginning to its end"),
    many<&Summary::rank_memory>("rank_memory", kInJson,
                                "one row for each process whose memory is known, from MPI_Init to MPI_Finalize"),
    many<&Summary::environment>("environment", kInJson,
                                "one row for each value of a variable; MERIDIAN_ENV selects the variables"),
    many<&Summary::counters>("counters", kInJson, "one row for each rank and counter; empty if nothing was counted"),
    many<&Summary::function_counters>("function_counters", kInJson, "one row for each function and counter"),
    many<&Summary::metrics>("metrics", kInJson, "figures derived from counters"),
    many<&Summary::region_counters>("region_counters", kInJson, "one row for each region of the program and counter"),
    many<&Summary::region_metrics>("region_metrics", kInJson, "the same as metrics, for each region"),
    many<&Summary::lock_names>("lock_names", kInJson, "semaphores that have names"),
    many<&Summary::locks>(
        "locks", kNowhere,
        "one row for each lock of each rank, by rank and then by time waited; absent if there is none"),
    many<&Summary::threads>("threads", kNowhere,
                            "one row for each thread of the ranks that have more than one; absent otherwise"),
#define MERIDIAN_TABLE(name, Row, heading, text) shown<&Summary::name>(#name, heading, text),
    MERIDIAN_ANALYSIS_TABLES(MERIDIAN_TABLE)
#undef MERIDIAN_TABLE
        many<&Summary::findings>("findings", kEverywhere, "what is wrong with the trace"),
});

}  // namespace

std::span<const SummaryTable> summary_tables() { return kTables; }

}  // namespace meridian
