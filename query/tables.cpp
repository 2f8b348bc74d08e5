// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "query/query_table.hpp"
#include "query/trace_tables.hpp"
#include "summary/summary_tables.hpp"

namespace meridian {
namespace {

/// Rows that are in memory, `row_bytes` apart.
class RowsInMemory final : public RowSource {
 public:
  RowsInMemory(const void* rows, std::size_t count, std::size_t row_bytes)
      : next_{static_cast<const char*>(rows)}, left_{count}, row_bytes_{row_bytes} {}
  Result<bool> next() override {
    if (left_ == 0) return false;
    --left_;
    row_ = next_;
    next_ += row_bytes_;
    return true;
  }
  const void* row() const override { return row_; }

 private:
  const char* row_ = nullptr;
  const char* next_;
  std::size_t left_;
  std::size_t row_bytes_;
};

QueryTable table_of_summary(const SummaryTable& table, std::string name) {
  QueryTable made{.name = std::move(name), .text = table.text};
  for (const AnyColumn& column : table.columns)
    if ((column.outputs & kInPrint) != 0) made.columns.push_back({.column = column});
  made.count = [](const QueryTrace&) { return std::uint64_t{100}; };
  made.open = [rows = &table](const QueryTrace& trace, const RowWindow&) -> Result<std::unique_ptr<RowSource>> {
    MERIDIAN_TRY(const Summary* const summary, trace.summary());
    return std::unique_ptr<RowSource>{new RowsInMemory{rows->rows(*summary), rows->count(*summary), rows->row_bytes}};
  };
  return made;
}

std::vector<QueryTable> all_tables() {
  std::vector<QueryTable> tables{events_table(),    messages_table(), collectives_table(), participants_table(),
                                 waits_table(),     regions_table(),  threads_table(),     samples_table(),
                                 processor_table(), memory_table(),   energy_table(),      user_values_table()};
  for (const SummaryTable& table : summary_tables()) {
    if ((table.outputs & kInPrint) == 0) continue;
    const bool is_taken = std::ranges::find(tables, table.name, &QueryTable::name) != tables.end();
    tables.push_back(table_of_summary(table, (is_taken ? "summary_" : "") + std::string{table.name}));
  }
  return tables;
}

}  // namespace

QueryTable threads_table() {
  using Row = MergedLocation;
  return {
      .name = "threads",
      .text = "one row for each thread with events",
      .columns =
          {
              {.column = column<&Row::rank>("rank", "", "in MPI_COMM_WORLD")},
              {.column = column<&Row::thread>("thread", "", "of the rank, from 0")},
              {.column = column<&Row::kernel_tid>("kernel_tid", "", "its number in the operating system")},
              {.column = column<&Row::events>("events", "", "events that it has")},
          },
      .count = [](const QueryTrace& trace) { return trace.trace().definitions().locations.size() + std::uint64_t{1}; },
      .open = [](const QueryTrace& trace, const RowWindow&) -> Result<std::unique_ptr<RowSource>> {
        const auto& threads = trace.trace().definitions().locations;
        return std::unique_ptr<RowSource>{new RowsInMemory{threads.data(), threads.size(), sizeof(Row)}};
      }};
}

const std::vector<QueryTable>& query_tables() {
  static const std::vector<QueryTable> tables = all_tables();
  return tables;
}

Result<const Summary*> QueryTrace::summary() const {
  if (!summary_) {
    MERIDIAN_TRY(summary_, trace_->summary());
  }
  return &*summary_;
}

void QueryTrace::report(std::uint64_t events, std::string_view table) const {
  if (progress_ && trace_->events() != 0)
    progress_(static_cast<double>(events) / static_cast<double>(trace_->events()), table);
}

}  // namespace meridian
