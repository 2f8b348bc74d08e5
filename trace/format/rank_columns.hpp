#pragma once

// The columns of the rank file's event tables, as its reader takes them. One that cannot be opened says so when it is
// read: what does not need it can be read all the same.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/format/rank_schema.hpp"
#include "trace/format/small_columns.hpp"

namespace meridian::rank_schema {

// A column that is missing when its table has no rows.
class OptionalColumn {
 public:
  void open(hid_t file, const std::string& path, std::uint64_t rows) {
    if (rows == 0) return;
    auto opened = ColumnReader::open(file, path);
    if (!opened)
      problem_ = std::move(opened).error();
    else if (opened->size() != rows)
      problem_ = contradiction("'" + path + "' has " + std::to_string(opened->size()) + " rows, the segments have " +
                               std::to_string(rows));
    else
      column_.emplace(*std::move(opened));
  }
  template <class T>
  Status read(std::uint64_t offset, std::vector<T>& out, std::uint64_t count) {
    out.resize(static_cast<std::size_t>(count));
    if (count == 0) return {};
    return column_ ? column_->read(offset, std::span{out}) : problem_;
  }

 private:
  std::optional<ColumnReader> column_;
  Status problem_;
};

/// 64-bit values behind their numbers.
class DictionaryRows {
 public:
  /// What stands for a row that cannot be read: no handle and no address, but the same wherever the row is meant.
  static constexpr std::uint64_t kUnreadable = 0xfffe'd1c7'0000'0000;
  static constexpr bool is_unreadable(std::uint64_t value) noexcept { return value >> 32 == kUnreadable >> 32; }

  /// Reads what can be read. The Error says what could not be.
  Status open(hid_t file) {
    Status status = read(file);
    if (!status) is_whole_ = false;
    return status;
  }

  Status look_up(std::span<const std::uint32_t> numbers, auto&& put) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < values_.size())
        put(i, values_[numbers[i]]);
      else if (is_whole_)
        return contradiction("a handle is not in 'dictionary'");
      else
        put(i, numbers[i] == 0 ? 0 : kUnreadable | numbers[i]);
    }
    return {};
  }

 private:
  Status read(hid_t file) {
    MERIDIAN_TRY(ColumnReader column, ColumnReader::open(file, "dictionary"));
    // The writer stores no two like neighbours, so that chunks without data cannot be meant to be large.
    if (column.size() > h5::file_bytes(file) * 1032 / sizeof(std::uint64_t))
      return contradiction("'dictionary' is larger than the file can hold");
    values_.resize(static_cast<std::size_t>(column.size()));
    Status status;
    for (std::size_t first = 0; first < values_.size(); first += kColumnChunk) {
      const std::span rows =
          std::span{values_}.subspan(first, std::min<std::size_t>(kColumnChunk, values_.size() - first));
      Status read = column.read(first, rows);
      if (read) continue;
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = first + i == 0 ? 0 : kUnreadable | (first + i);
      status = std::move(read);
    }
    return status;
  }

  std::vector<std::uint64_t> values_;
  bool is_whole_ = true;
};

// Where reading a table needs room; kept from segment to segment.
struct Scratch {
  std::vector<std::uint32_t> numbers;
  std::tuple<std::vector<std::uint8_t>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
             std::vector<std::int64_t>, std::vector<std::uint64_t>>
      values;
};

template <class Row>
class TableColumns {
  static constexpr auto& kColumns = rank_schema::kColumns<Row>;
  static constexpr std::size_t kCount = std::tuple_size_v<std::remove_cvref_t<decltype(kColumns)>>;

 public:
  void open(hid_t file, std::uint64_t rows) {
    static_cast<void>(each([&](const auto& column, OptionalColumn& source) {
      source.open(file, column.path, rows);
      return Status{};
    }));
  }

  Status read(std::uint64_t offset, std::uint64_t count, const DictionaryRows& dictionary, Scratch& scratch,
              std::vector<Row>& rows) {
    rows.resize(static_cast<std::size_t>(count));
    if (count == 0) return {};
    return each([&]<class T>(const rank_schema::Column<Row, T>& column, OptionalColumn& source) -> Status {
      if (column.is_index) {
        MERIDIAN_TRY_DO(source.read(offset, scratch.numbers, count));
        return dictionary.look_up(scratch.numbers, [&](std::size_t i, std::uint64_t value) {
          rows[i].*column.member = static_cast<T>(value);
        });
      }
      auto& values = std::get<std::vector<T>>(scratch.values);
      MERIDIAN_TRY_DO(source.read(offset, values, count));
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*column.member = values[i];
      return {};
    });
  }

 private:
  template <class Action>
  Status each(Action&& action) {
    return each(action, std::make_index_sequence<kCount>{});
  }
  template <class Action, std::size_t... I>
  Status each(Action& action, std::index_sequence<I...>) {
    Status status;
    static_cast<void>(((status = action(std::get<I>(kColumns), columns_[I]), bool{status}) && ...));
    return status;
  }

  std::array<OptionalColumn, kCount> columns_;
};

}  // namespace meridian::rank_schema
