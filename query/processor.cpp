// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>
#include <vector>

#include "merged/processor_reader.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

/// A row of the table of intervals without a processor.
struct IntervalRow {
  MergedInterval interval;
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
};

std::vector<QueryColumn> interval_columns() {
  using Row = IntervalRow;
  return {
      {.column = column<Row>("start_s", "s", "since the start of the trace",
                             [](const Row& row) { return seconds_of(row.interval.begin_ns()); }),
       .role = ColumnRole::time},
      {.column = column<Row>("end_s", "s", "since the start of the trace",
                             [](const Row& row) { return seconds_of(row.interval.end_ns); }),
       .role = ColumnRole::time},
      {.column = column<Row>("away_s", "s", "without a processor: end - begin, for a sum of short intervals less",
                             [](const Row& row) { return seconds_of(row.interval.away_ns()); })},
      {.column = column<Row>("rank", "", "in MPI_COMM_WORLD", [](const Row& row) { return row.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("thread", "", "of the rank, from 0", [](const Row& row) { return row.thread; })},
      {.column = column<Row>("state", "", "ready: it could have gone on; slept",
                             [](const Row& row) { return std::string{row.interval.is_ready ? "ready" : "slept"}; })},
      {.column = column<Row>("count", "", "intervals; those of less than 20 us are summed",
                             [](const Row& row) { return row.interval.count; })},
  };
}

class IntervalSource final : public RowSource {
 public:
  IntervalSource(const MergedTrace& trace, ProcessorReader reader, const RowWindow& window)
      : locations_{trace.definitions().locations},
        reader_{std::move(reader)},
        cursor_{reader_, {window.from_ns, window.to_ns, window.ranks}} {}

  Result<bool> next() override {
    if (++at_ >= rows_.size()) {
      MERIDIAN_TRY(const bool has_more, cursor_.next(rows_));
      if (!has_more) return false;
      at_ = 0;
    }
    const MergedLocation& location = locations_[static_cast<std::size_t>(rows_[at_].location)];
    row_ = {rows_[at_], location.rank, location.thread};
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  const std::vector<MergedLocation>& locations_;
  ProcessorReader reader_;
  ProcessorCursor cursor_;
  std::vector<MergedInterval> rows_;
  std::size_t at_ = 0;
  IntervalRow row_;
};

Result<std::unique_ptr<RowSource>> open_intervals(const QueryTrace& source, const RowWindow& window) {
  MERIDIAN_TRY(ProcessorReader reader, source.trace().processor());
  return std::unique_ptr<RowSource>{new IntervalSource{source.trace(), std::move(reader), window}};
}

}  // namespace

QueryTable processor_table() {
  return {.name = "processor",
          .text = "one row for each interval in which a thread had no processor, by rank in order of the end",
          .columns = interval_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().events(); },
          .open = &open_intervals};
}

}  // namespace meridian
