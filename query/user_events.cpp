// SPDX-License-Identifier: Apache-2.0
// The values of user events: a table of all of them, and one for each kind of event that has a column for each value.

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "merged/user_values.hpp"
#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostFields = 32;  ///< of an event that get a column
constexpr std::uint32_t kUserEventParts = kFieldCall | kFieldSequence;

struct UserEventRow {
  MergedEvent event;
  std::vector<UserValue> values;
  // Of the table of all values: the one that this row is.
  std::string function, field;
  std::size_t number = 0;
};

double real_of(const UserValue& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>)
          return std::numeric_limits<double>::quiet_NaN();
        else
          return static_cast<double>(held);
      },
      value);
}

template <class T, std::size_t I>
T value_in(const UserEventRow& row) {
  if constexpr (std::is_same_v<T, double>) {
    return I < row.values.size() ? real_of(row.values[I]) : std::numeric_limits<double>::quiet_NaN();
  } else {
    const T* const value = I < row.values.size() ? std::get_if<T>(&row.values[I]) : nullptr;
    return value == nullptr ? T{} : *value;
  }
}

/// The column of the I-th value, by its type.
template <std::size_t I>
AnyColumn value_column_at(std::string_view name, std::string_view type) {
  constexpr std::string_view kText = "value of the event";
  if (type == "text") return column<UserEventRow, &value_in<std::string, I>>(name, "", kText);
  if (type == "f64") return column<UserEventRow, &value_in<double, I>>(name, "", kText);
  if (type == "u64") return column<UserEventRow, &value_in<std::uint64_t, I>>(name, "", kText);
  return column<UserEventRow, &value_in<std::int64_t, I>>(name, "", kText);
}

using MakeColumn = AnyColumn (*)(std::string_view name, std::string_view type);
template <std::size_t... I>
constexpr std::array<MakeColumn, sizeof...(I)> value_columns(std::index_sequence<I...>) {
  return {&value_column_at<I>...};
}
constexpr auto kValueColumns = value_columns(std::make_index_sequence<kMostFields>{});

std::vector<QueryColumn> place_columns() {
  using Row = UserEventRow;
  return {
      {.column = column<Row>("event", "", "row of `events`", [](const Row& row) { return row.event.row; }),
       .role = ColumnRole::row,
       .has_order = true},
      {.column = column<Row>("call", "", "RANK:CALL or RANK.THREAD:CALL, as `meridian order` takes it",
                             [](const Row& row) { return call_label(row.event); })},
      {.column = column<Row>("start_s", "s", "when it happened, since the start of the trace",
                             [](const Row& row) { return seconds_of(row.event.enter_ns); }),
       .role = ColumnRole::time,
       .has_order = true},
      {.column = column<Row>("rank", "", "in MPI_COMM_WORLD", [](const Row& row) { return row.event.rank; }),
       .role = ColumnRole::rank},
      {.column = column<Row>("thread", "", "of the rank, from 0", [](const Row& row) { return row.event.thread; })},
  };
}

/// The user events of a window that have values, one by one.
class UserEventWalk {
 public:
  static Result<UserEventWalk> open(const QueryTrace& trace, const RowWindow& window, std::string_view table) {
    const RowWindow read =
        window.number ? RowWindow{.from_ns = 0, .to_ns = 0} : window;  // one event is known by its number
    MERIDIAN_TRY(EventWalk walk, EventWalk::open(trace, read, {.fields = kUserEventParts}, table));
    return UserEventWalk{trace.trace(), std::move(walk), window.number};
  }

  /// The next one with the call number, or with any; nullptr: there is none.
  Result<const MergedEvent*> next(std::uint32_t call) {
    for (;;) {
      MERIDIAN_TRY(const MergedEvent* const event, next_event());
      if (event == nullptr) return event;
      if (call == kAnyCall ? !values_.fields(event->call).empty() : event->call == call) return event;
    }
  }
  Result<std::span<const NamedValue>> values(const MergedEvent& event) { return values_.of(event); }

  static constexpr std::uint32_t kAnyCall = std::numeric_limits<std::uint32_t>::max();

 private:
  UserEventWalk(const MergedTrace& trace, EventWalk walk, std::optional<std::uint64_t> number)
      : trace_{&trace}, values_{trace}, walk_{std::move(walk)}, number_{number} {}

  Result<const MergedEvent*> next_event() {
    const std::optional<std::uint64_t> number = std::exchange(number_, std::nullopt);
    if (!number || *number >= trace_->events()) return walk_.next();
    MERIDIAN_TRY(one_, trace_->event(*number));
    return &one_;
  }

  const MergedTrace* trace_;
  UserValues values_;
  EventWalk walk_;
  std::optional<std::uint64_t> number_;
  MergedEvent one_;
};

/// The events of one kind.
class UserEventSource final : public RowSource {
 public:
  UserEventSource(UserEventWalk walk, std::uint32_t call) : walk_{std::move(walk)}, call_{call} {}
  Result<bool> next() override {
    MERIDIAN_TRY(const MergedEvent* const event, walk_.next(call_));
    if (event == nullptr) return false;
    row_.event = *event;
    row_.values.clear();
    MERIDIAN_TRY(const std::span<const NamedValue> values, walk_.values(*event));
    for (const NamedValue& value : values) row_.values.push_back(value.value);
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  UserEventWalk walk_;
  std::uint32_t call_;
  UserEventRow row_;
};

/// A row for each value of each event.
class UserValueSource final : public RowSource {
 public:
  UserValueSource(const MergedDefinitions& names, UserEventWalk walk) : names_{&names}, walk_{std::move(walk)} {}
  Result<bool> next() override {
    if (++row_.number >= row_.values.size()) {
      MERIDIAN_TRY(const MergedEvent* const event, walk_.next(UserEventWalk::kAnyCall));
      if (event == nullptr) return false;
      row_.event = *event;
      row_.function = function_name(*names_, event->call);
      row_.values.clear();
      fields_.clear();
      MERIDIAN_TRY(const std::span<const NamedValue> values, walk_.values(*event));
      for (const NamedValue& value : values) {
        row_.values.push_back(value.value);
        fields_.push_back(value.field->name);
      }
      row_.number = 0;
      if (row_.values.empty()) return next();
    }
    row_.field = fields_[row_.number];
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  const MergedDefinitions* names_;
  UserEventWalk walk_;
  std::vector<std::string> fields_;
  UserEventRow row_;
};

std::vector<QueryColumn> user_value_columns() {
  using Row = UserEventRow;
  std::vector<QueryColumn> columns = place_columns();
  columns.push_back({.column = column<Row>("function", "", "the user event, as in `events`",
                                           [](const Row& row) { return row.function; })});
  columns.push_back({.column = column<Row>("field", "", "the value's name; of a counter value",
                                           [](const Row& row) { return row.field; })});
  columns.push_back({.column = column<Row>("number", "", "the value; NULL: it is a text",
                                           [](const Row& row) { return real_of(row.values[row.number]); })});
  columns.push_back({.column = column<Row>("text", "", "the value as text",
                                           [](const Row& row) { return text_of(row.values[row.number]); })});
  return columns;
}

}  // namespace

QueryTable user_values_table() {
  return {.name = "user_values",
          .text = "one row for each value of each user event, counters included, in the order of time",
          .columns = user_value_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().events(); },
          .open = [](const QueryTrace& trace, const RowWindow& window) -> Result<std::unique_ptr<RowSource>> {
            MERIDIAN_TRY(UserEventWalk walk, UserEventWalk::open(trace, window, "user_values"));
            return std::unique_ptr<RowSource>{new UserValueSource{trace.trace().definitions(), std::move(walk)}};
          }};
}

UserEventTables::UserEventTables(const MergedTrace& trace) {
  const MergedDefinitions& names = trace.definitions();
  for (const MergedUserEvent& event : names.user) {
    const std::vector<UserField> fields = user_fields(event.fields);
    if (fields.empty()) continue;
    QueryTable made{.name = std::string{names.call_name(event.call)},
                    .text = "one row for each time that the program's " + event.kind + " " +
                            std::string{names.call_name(event.call)} + " happened, in the order of time",
                    .columns = place_columns()};
    const auto is_taken = [&](const std::vector<QueryTable>& tables) {
      return std::ranges::find(tables, made.name, &QueryTable::name) != tables.end();
    };
    while (is_taken(query_tables()) || is_taken(list_)) made.name.insert(0, "user_");
    for (std::size_t i = 0; i < std::min(fields.size(), kMostFields); ++i) {
      std::string& name = words_.emplace_back(fields[i].name);
      const auto has_name = [&](const QueryColumn& column) { return column.column.name == name; };
      while (std::ranges::any_of(made.columns, has_name)) name.insert(0, "value_");
      made.columns.push_back({.column = kValueColumns[i](name, fields[i].type)});
    }
    made.count = [](const QueryTrace& source) { return source.trace().events(); };
    made.open = [call = event.call, name = made.name](const QueryTrace& source,
                                                      const RowWindow& window) -> Result<std::unique_ptr<RowSource>> {
      MERIDIAN_TRY(UserEventWalk walk, UserEventWalk::open(source, window, name));
      return std::unique_ptr<RowSource>{new UserEventSource{std::move(walk), call}};
    };
    list_.push_back(std::move(made));
  }
}

}  // namespace meridian
