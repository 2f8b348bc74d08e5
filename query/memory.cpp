// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>
#include <vector>

#include "merged/memory_reader.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

/// A row of the table of the memory over time.
struct ReadingRow {
  MergedMemory memory;
  std::int32_t rank = 0;
};

std::vector<QueryColumn> memory_columns() {
  using Row = ReadingRow;
  return {
      {.column = column<Row>("rank", "", "in MPI_COMM_WORLD", [](const Row& row) { return row.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("time_s", "s", "since the start of the trace",
                             [](const Row& row) { return seconds_of(row.memory.time_ns); }),
       .role = ColumnRole::time},
      {.column = column<Row>("resident_bytes", "bytes", "resident memory of the process",
                             [](const Row& row) { return row.memory.resident_bytes; })},
      {.column = column<Row>("peak_bytes", "bytes", "most that was resident since the process began",
                             [](const Row& row) { return row.memory.peak_bytes; })},
      {.column = column<Row>("swapped_bytes", "bytes", "moved to swap space",
                             [](const Row& row) { return row.memory.swapped_bytes; })},
      {.column = column<Row>("minor_faults", "", "page faults without I/O since the process began",
                             [](const Row& row) { return row.memory.minor_faults; })},
      {.column = column<Row>("major_faults", "", "page faults with I/O since the process began",
                             [](const Row& row) { return row.memory.major_faults; })},
  };
}

class ReadingSource final : public RowSource {
 public:
  ReadingSource(MemoryReader reader, const RowWindow& window)
      : reader_{std::move(reader)}, cursor_{reader_, {window.from_ns, window.to_ns, window.ranks}} {}

  Result<bool> next() override {
    if (++at_ >= rows_.size()) {
      MERIDIAN_TRY(const bool has_more, cursor_.next(rows_));
      if (!has_more) return false;
      at_ = 0;
    }
    row_ = {rows_[at_], cursor_.rank()};
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  MemoryReader reader_;
  MemoryCursor cursor_;
  std::vector<MergedMemory> rows_;
  std::size_t at_ = 0;
  ReadingRow row_;
};

Result<std::unique_ptr<RowSource>> open_readings(const QueryTrace& source, const RowWindow& window) {
  MERIDIAN_TRY(MemoryReader reader, source.trace().memory());
  return std::unique_ptr<RowSource>{new ReadingSource{std::move(reader), window}};
}

}  // namespace

QueryTable memory_table() {
  return {.name = "memory",
          .text = "one row for each time at which the memory of a process had changed, by rank in order of time",
          .columns = memory_columns(),
          .count = [](const QueryTrace&) { return std::uint64_t{10'000}; },
          .open = &open_readings};
}

}  // namespace meridian
