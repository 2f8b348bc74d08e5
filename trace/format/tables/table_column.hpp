// SPDX-License-Identifier: Apache-2.0
#pragma once

// Describes each column of a table once: files, CSV and JSON are loops over these descriptions. No HDF5 here.
//
//   inline constexpr Columns kRankColumns{
//       column<&RankSummary::rank>("rank", "", "in MPI_COMM_WORLD"),
//       column<&CommRow::birth, &CommBirth::comm>("comm"),                                   // a member of a member
//       column<EventRow>("bytes", "B", "", [](const EventRow& row) { return row.sent + row.received; }),  // no setter
//   };
//
// `Columns<Row, N>` knows the type of its rows; all functions that move values take `span<const AnyColumn>`, so that no
// reader or writer is a template over tables.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace meridian {

enum class ColumnType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f64 };

template <class T>
inline constexpr ColumnType column_type = [] {
  static_assert(std::integral<T> || std::same_as<T, double>, "columns hold integers or doubles");
  if constexpr (std::same_as<T, double>) {
    return ColumnType::f64;
  } else {
    constexpr int rank = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<ColumnType>(2 * rank + (std::is_unsigned_v<T> ? 1 : 0));
  }
}();

/// Bytes of one value.
constexpr std::size_t width_of(ColumnType type) noexcept {
  return type == ColumnType::f64 ? 8 : std::size_t{1} << (static_cast<unsigned>(type) / 2);
}
constexpr bool is_signed(ColumnType type) noexcept {
  return type != ColumnType::f64 && static_cast<unsigned>(type) % 2 == 0;
}

enum class ColumnForm : std::uint8_t {
  number,
  flag,    ///< 0 or 1 in files and CSV; true or false in JSON
  word,    ///< a number in files, one of AnyColumn::words in CSV and JSON
  handle,  ///< a 64-bit value; in rank files a row of /dictionary
  text,    ///< std::string
  list,    ///< std::vector<std::int32_t>
};

/// The outputs in which a column or a table appears; bits.
enum Output : std::uint8_t { kInFile = 1, kInCsv = 2, kInJson = 4, kInPrint = kInCsv | kInJson, kEverywhere = 7 };

/// A column of any table. Rows are an array of the table's row type.
struct AnyColumn {
  std::string_view name;
  std::string_view unit;  ///< "s", "B"; empty: a count, a name
  std::string_view text;  ///< the meaning; may be empty
  ColumnType type{};      ///< of a value in memory and in files; numbers only
  ColumnForm form{};
  bool is_nullable = false;  ///< an empty text becomes null in JSON
  bool is_optional = false;  ///< files of earlier versions lack it: rows keep the value that they have
  std::uint8_t outputs = kEverywhere;
  std::span<const std::string_view> words{};
  /// Copies the values of `count` rows to `values`, `stride` bytes apart: numbers of `type` (at any alignment), or
  /// existing objects of std::string or std::vector<std::int32_t>.
  void (*get)(const void* rows, std::size_t count, void* values, std::size_t stride) = nullptr;
  /// The inverse; null: the column cannot be read.
  void (*set)(void* rows, std::size_t count, const void* values, std::size_t stride) = nullptr;

  constexpr bool is_shown_in(Output output) const noexcept { return (outputs & output) != 0; }
};

/// A column of a table whose rows are of type `Row`; make it with column().
template <class Row>
struct Column : AnyColumn {
  constexpr Column nullable() const {
    return changed([](Column& c) { c.is_nullable = true; });
  }
  constexpr Column optional() const {
    return changed([](Column& c) { c.is_optional = true; });
  }
  constexpr Column as_handle() const {
    return changed([](Column& c) { c.form = ColumnForm::handle; });
  }
  constexpr Column shown_in(std::uint8_t places) const {
    return changed([&](Column& c) { c.outputs = places; });
  }
  /// Number i means names[i]; other numbers are invalid.
  constexpr Column with_words(std::span<const std::string_view> names) const {
    return changed([&](Column& c) {
      c.form = ColumnForm::word;
      c.words = names;
    });
  }

 private:
  constexpr Column changed(auto change) const {
    Column copy = *this;
    change(copy);
    return copy;
  }
};

/// The columns of a table, in the order of output.
template <class Row, std::size_t N>
struct Columns {
  std::array<AnyColumn, N> list;

  template <class... More>
  explicit constexpr Columns(const Column<Row>& first, const More&... more) : list{first, more...} {
    static_assert((std::same_as<More, Column<Row>> && ...), "all columns of a table are of one row type");
  }
  constexpr auto begin() const { return list.begin(); }
  constexpr auto end() const { return list.end(); }
  static constexpr std::size_t size() { return N; }
  constexpr operator std::span<const AnyColumn>() const { return list; }  // NOLINT(google-explicit-constructor)
};
template <class Row, class... More>
Columns(const Column<Row>&, const More&...) -> Columns<Row, 1 + sizeof...(More)>;

namespace column_detail {

template <class T>
struct Stored {
  using Type = T;
};
template <class T>
requires std::is_enum_v<T>
struct Stored<T> {
  using Type = std::underlying_type_t<T>;
};
template <>
struct Stored<bool> {
  using Type = std::uint8_t;
};
template <>
struct Stored<float> {
  using Type = double;
};
template <class T>
inline constexpr bool is_object = std::same_as<T, std::string> || std::same_as<T, std::vector<std::int32_t>>;

template <class T>
constexpr ColumnForm form_of() {
  if constexpr (std::same_as<T, std::string>)
    return ColumnForm::text;
  else if constexpr (std::same_as<T, std::vector<std::int32_t>>)
    return ColumnForm::list;
  else
    return std::same_as<T, bool> ? ColumnForm::flag : ColumnForm::number;
}

template <class Row, class Value, class Get>
void get_values(const void* rows, std::size_t count, void* values, std::size_t stride) {
  using OnDisk = typename Stored<Value>::Type;
  const Row* row = static_cast<const Row*>(rows);
  char* to = static_cast<char*>(values);
  for (std::size_t i = 0; i < count; ++i, ++row, to += stride) {
    if constexpr (is_object<Value>) {
      *static_cast<Value*>(static_cast<void*>(to)) = Get{}(*row);
    } else {
      const OnDisk value = static_cast<OnDisk>(Get{}(*row));
      std::memcpy(to, &value, sizeof value);
    }
  }
}

template <class Row, class Value, class Set>
void set_values(void* rows, std::size_t count, const void* values, std::size_t stride) {
  using OnDisk = typename Stored<Value>::Type;
  Row* row = static_cast<Row*>(rows);
  const char* from = static_cast<const char*>(values);
  for (std::size_t i = 0; i < count; ++i, ++row, from += stride) {
    if constexpr (is_object<Value>) {
      Set{}(*row, *static_cast<const Value*>(static_cast<const void*>(from)));
    } else {
      OnDisk value{};
      std::memcpy(&value, from, sizeof value);
      Set{}(*row, static_cast<Value>(value));
    }
  }
}

template <class Member>
struct RowOf;
template <class Row, class T>
struct RowOf<T Row::*> {
  using Type = Row;
};

template <auto... Path>
struct GetMember {
  constexpr const auto& operator()(const auto& row) const { return (row.*....*Path); }
};
template <auto... Path>
struct SetMember {
  constexpr void operator()(auto& row, const auto& value) const { (row.*....*Path) = value; }
};

template <auto Function>
struct Call {
  constexpr auto operator()(const auto& row) const { return Function(row); }
};

template <class Row, class Get>
constexpr Column<Row> describe(std::string_view name, std::string_view unit, std::string_view text) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>;
  Column<Row> made;
  made.name = name;
  made.unit = unit;
  made.text = text;
  if constexpr (!is_object<Value>) made.type = column_type<typename Stored<Value>::Type>;
  made.form = form_of<Value>();
  made.get = &get_values<Row, Value, Get>;
  return made;
}

}  // namespace column_detail

/// A column that is a member of the row, or a member of a member: column<&Row::member>(...).
template <auto First, auto... Rest>
constexpr auto column(std::string_view name, std::string_view unit = "", std::string_view text = "") {
  using Row = typename column_detail::RowOf<decltype(First)>::Type;
  using Get = column_detail::GetMember<First, Rest...>;
  using Value = std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>;
  Column<Row> made = column_detail::describe<Row, Get>(name, unit, text);
  made.set = &column_detail::set_values<Row, Value, column_detail::SetMember<First, Rest...>>;
  return made;
}

/// A column that a function computes, from a row to a number, a std::string or a list: column<Row, &function>(...).
template <class Row, auto Function>
constexpr Column<Row> column(std::string_view name, std::string_view unit = "", std::string_view text = "") {
  return column_detail::describe<Row, column_detail::Call<Function>>(name, unit, text);
}

/// The same with a lambda: `Get` is a lambda without captures.
template <class Row, class Get>
constexpr Column<Row> column(std::string_view name, std::string_view unit, std::string_view text, Get) {
  return column_detail::describe<Row, Get>(name, unit, text);
}

/// With a setter: a lambda (Row& row, Value value) without captures.
template <class Row, class Get, class Set>
constexpr Column<Row> column(std::string_view name, std::string_view unit, std::string_view text, Get, Set) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>;
  Column<Row> made = column_detail::describe<Row, Get>(name, unit, text);
  made.set = &column_detail::set_values<Row, Value, Set>;
  return made;
}

/// A column whose rows are its values.
template <class T>
constexpr Column<T> value_column(std::string_view name, std::string_view unit = "", std::string_view text = "") {
  return column<T>(
      name, unit, text, [](const T& row) { return row; }, [](T& row, T value) { row = value; });
}

/// A value of any column, for output.
using ColumnValue = std::variant<std::int64_t, std::uint64_t, double, bool, std::string, std::vector<std::int32_t>>;

/// The value in one row. Words are texts here; a number without a word is an empty text.
ColumnValue value_of(const AnyColumn& column, const void* row);

/// Provides readers with memory for rows: make(context, count, rows) creates `count` rows with their default values and
/// returns their address in `rows`. False: the table cannot have that many.
struct RowRoom {
  bool (*make)(void* context, std::size_t count, void*& rows);
  void* context;
  std::uint64_t free_bytes = 0;  ///< a group of columns in a file of any size may have columns of that many bytes
};
template <class Row>
RowRoom room_in(std::vector<Row>& rows, std::uint64_t free_bytes = 0) {
  return {[](void* context, std::size_t count, void*& made) {
            auto& target = *static_cast<std::vector<Row>*>(context);
            target.assign(count, Row{});
            made = target.data();
            return true;
          },
          &rows, free_bytes};
}

}  // namespace meridian
