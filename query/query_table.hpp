// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of a merged trace as rows with described columns, which are read one after another. No SQL here.

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "merged/merged_trace.hpp"
#include "query/instance_finder.hpp"
#include "trace/format/tables/table_column.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The part of a table that is read. A reader may return more rows than that, never fewer.
struct RowWindow {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  ///< the least time
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();    ///< times are less than this
  std::optional<std::vector<std::int32_t>> ranks{};                 ///< nullopt: all
  std::optional<std::uint64_t> number{};                            ///< only the rows of this number
  std::uint8_t end = 0;       ///< the end that times and ranks are those of; QueryColumn::end
  bool is_backwards = false;  ///< the last row first, if the table has an order
  std::uint32_t needs = std::numeric_limits<std::uint32_t>::max();  ///< bits of QueryColumn::needs
};

/// How conditions on a column narrow the window.
enum class ColumnRole : std::uint8_t {
  none,
  number,       ///< of what the row is about: equal to one
  row,          ///< the same, which grows with time, so that ranges are windows of time
  time,         ///< in seconds; anything between two times
  latest_time,  ///< at most this: the row's time is not later than the column
  rank,
};

struct QueryColumn {
  AnyColumn column;  ///< negative integers, empty texts and NaN are NULL if it is nullable
  ColumnRole role = ColumnRole::none;
  std::uint8_t end = 0;     ///< of a message: 0 the sender's, 1 the receiver's
  bool has_order = false;   ///< rows come in the order of this column if the window is that of `end`
  std::uint32_t needs = 0;  ///< parts of a row that have to be read for it; the table's own bits
};

/// Receives the progress through a table, 0 to 1.
using QueryProgress = std::function<void(double fraction, std::string_view table)>;

/// A merged trace with its summary, which is read when a table needs it.
class QueryTrace {
 public:
  explicit QueryTrace(const MergedTrace& trace, QueryProgress progress = {})
      : trace_{&trace}, progress_{std::move(progress)}, instances_{trace} {}
  const MergedTrace& trace() const noexcept { return *trace_; }
  Result<const Summary*> summary() const;
  /// The first participant of a collective. errors: not_found; damaged; io.
  Result<MergedPart> first_part(std::uint64_t instance) const { return instances_.first_part(instance); }
  /// Events that have been read of all those that are in the trace.
  void report(std::uint64_t events, std::string_view table) const;

 private:
  const MergedTrace* trace_;
  QueryProgress progress_;
  mutable InstanceFinder instances_;
  mutable std::optional<Summary> summary_;
};

/// Reads rows one by one. The trace must outlive it.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;
  /// Goes to the next row, at first to the first one; false: there is none.
  virtual Result<bool> next() = 0;
  /// The row for the columns of the table, until next() is called.
  virtual const void* row() const = 0;
};

struct QueryTable {
  std::string name;
  std::string text;  ///< what its rows are
  std::vector<QueryColumn> columns{};
  std::uint64_t (*count)(const QueryTrace& trace) = nullptr;  ///< about that many rows
  std::function<Result<std::unique_ptr<RowSource>>(const QueryTrace& trace, const RowWindow& window)> open{};
};

/// All tables: those of the trace, then those of the summary. A table of the summary whose name is taken has
/// "summary_" in front of it.
const std::vector<QueryTable>& query_tables();

/// A table for each user event of a trace that has values, with a column for each of them. Its name is that of the event in `events`.
/// The object must outlive the use of its tables; it does not move.
class UserEventTables {
 public:
  explicit UserEventTables(const MergedTrace& trace);
  UserEventTables(const UserEventTables&) = delete;
  UserEventTables& operator=(const UserEventTables&) = delete;
  const std::vector<QueryTable>& list() const noexcept { return list_; }

 private:
  std::deque<std::string> words_;  // names of columns
  std::vector<QueryTable> list_;
};

/// ns as seconds; exact to the ns for traces of less than a hundred days.
constexpr double seconds_of(std::int64_t ns) noexcept { return static_cast<double>(ns) / 1e9; }

}  // namespace meridian
