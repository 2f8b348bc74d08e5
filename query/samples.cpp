// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "merged/sample_functions.hpp"
#include "merged/sample_reader.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostCallers = 32;

/// A row of the table of samples.
struct SampleTableRow {
  MergedSample sample;
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  const SampleFunctions* functions = nullptr;

  const SampleFunctions::Function* function() const {
    const std::uint32_t number = line().function;
    return number == SampleFunctions::kNone ? nullptr : &functions->functions()[number];
  }
  const SampleFunctions::Line& line() const { return functions->line_of(static_cast<std::uint32_t>(sample.path)); }
};

std::vector<QueryColumn> sample_columns() {
  using Row = SampleTableRow;
  return {
      {.column = column<Row>("time_s", "s", "since the start of the trace",
                             [](const Row& row) { return seconds_of(row.sample.time_ns); }),
       .role = ColumnRole::time},
      {.column = column<Row>("rank", "", "in MPI_COMM_WORLD", [](const Row& row) { return row.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("thread", "", "of the rank, from 0", [](const Row& row) { return row.thread; })},
      {.column = column<Row>("function", "", "of the program; NULL: unknown",
                             [](const Row& row) { return row.function() ? row.function()->name : std::string{}; })
                     .nullable()},
      {.column = column<Row>("place", "", "source file and line; without lines the program or library; NULL: unknown",
                             [](const Row& row) {
                               return row.function() ? place_of(*row.function(), row.line().line) : std::string{};
                             })
                     .nullable()},
      {.column = column<Row>("module", "", "program or library; NULL: unknown",
                             [](const Row& row) { return row.function() ? row.function()->module : std::string{}; })
                     .nullable()},
      {.column = column<Row>("callers", "", "functions with lines, the nearest first; NULL: none",
                             [](const Row& row) {
                               return row.functions->callers_of(static_cast<std::uint32_t>(row.sample.path),
                                                                kMostCallers);
                             })
                     .nullable()},
  };
}

class SampleSource final : public RowSource {
 public:
  SampleSource(const MergedTrace& trace, SampleReader reader, const RowWindow& window)
      : locations_{trace.definitions().locations},
        reader_{std::move(reader)},
        functions_{reader_.names()},
        cursor_{reader_, {window.from_ns, window.to_ns, window.ranks}} {}

  Result<bool> next() override {
    if (++at_ >= rows_.size()) {
      MERIDIAN_TRY(const bool has_more, cursor_.next(rows_));
      if (!has_more) return false;
      at_ = 0;
    }
    const MergedSample& sample = rows_[at_];
    const MergedLocation& location = locations_[static_cast<std::size_t>(sample.location)];
    row_ = {sample, location.rank, location.thread, &functions_};
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  const std::vector<MergedLocation>& locations_;
  SampleReader reader_;
  SampleFunctions functions_;
  SampleCursor cursor_;
  std::vector<MergedSample> rows_;
  std::size_t at_ = 0;
  SampleTableRow row_;
};

Result<std::unique_ptr<RowSource>> open_samples(const QueryTrace& source, const RowWindow& window) {
  MERIDIAN_TRY(SampleReader reader, source.trace().samples());
  return std::unique_ptr<RowSource>{new SampleSource{source.trace(), std::move(reader), window}};
}

}  // namespace

QueryTable samples_table() {
  return {
      .name = "samples",
      .text = "one row for each sample of what a thread computed, by rank in order of time, inside calls and outside",
      .columns = sample_columns(),
      .count = [](const QueryTrace& trace) { return trace.trace().events(); },
      .open = &open_samples};
}

}  // namespace meridian
