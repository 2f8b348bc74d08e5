// SPDX-License-Identifier: Apache-2.0
#pragma once

// The columns of the rank file's event tables, for reading. A column that cannot be opened is reported when it is read,
// so that everything else remains readable.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/format/rank/rank_schema.hpp"
#include "trace/format/tables/column.hpp"

namespace meridian::rank_schema {

// A column that may be missing if its table has no rows.
class OptionalColumn {
 public:
  void open(hid_t file, const AnyColumn& column, std::uint64_t rows) {
    if (rows == 0) return;
    const std::string path{column.name};
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
    return read_raw(offset, out.data(), out.size(), column_type<T>);
  }
  /// `out` has room for `count` values of `type`.
  Status read_raw(std::uint64_t offset, void* out, std::size_t count, ColumnType type) {
    if (count == 0) return {};
    return column_ ? column_->read_raw(offset, out, count, type) : problem_;
  }
  /// See ColumnReader. A column that cannot be read is detached.
  bool detach(const std::shared_ptr<const RawFile>& file) { return !column_ || column_->detach(file); }
  void keep_in(const std::shared_ptr<PlaneStore>& store) {
    if (column_) column_->keep_in(store);
  }

 private:
  std::optional<ColumnReader> column_;
  Status problem_;
};

/// 64-bit values by their dictionary numbers.
class DictionaryRows {
 public:
  /// Replaces a row that cannot be read: neither a handle nor an address, but the same value for each use of the row.
  static constexpr std::uint64_t kUnreadable = 0xfffe'd1c7'0000'0000;
  static constexpr bool is_unreadable(std::uint64_t value) noexcept { return value >> 32 == kUnreadable >> 32; }

  /// Reads everything that is readable; the Error describes the rest.
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
    MERIDIAN_TRY(ColumnReader column, ColumnReader::open(file, std::string{kDictionary.name}));
    // The writer never stores equal values side by side, so a large column cannot consist of chunks without data.
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

// Working memory for reading a table, reused for all segments.
struct Scratch {
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint64_t> values;  // of one column; room for any type
};

/// An event table whose rows are described by `columns`.
class AnyTableColumns {
 public:
  explicit AnyTableColumns(std::span<const AnyColumn> columns) : columns_{columns}, sources_(columns.size()) {}

  void open(hid_t file, std::uint64_t rows) {
    for (std::size_t i = 0; i < columns_.size(); ++i) sources_[i].open(file, columns_[i], rows);
  }

  /// Calls visit(OptionalColumn&) for all columns.
  void for_each(auto&& visit) {
    for (OptionalColumn& source : sources_) visit(source);
  }

  Status read_rows(std::uint64_t offset, std::size_t count, const DictionaryRows& dictionary, Scratch& scratch,
                   void* rows) {
    scratch.values.resize(count);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const AnyColumn& column = columns_[i];
      if (column.form == ColumnForm::handle) {
        MERIDIAN_TRY_DO(sources_[i].read(offset, scratch.numbers, count));
        MERIDIAN_TRY_DO(dictionary.look_up(scratch.numbers,
                                           [&](std::size_t row, std::uint64_t value) { scratch.values[row] = value; }));
      } else {
        MERIDIAN_TRY_DO(sources_[i].read_raw(offset, scratch.values.data(), count, column.type));
      }
      column.set(rows, count, scratch.values.data(), width_of(column.type));
    }
    return {};
  }

 private:
  std::span<const AnyColumn> columns_;
  std::vector<OptionalColumn> sources_;
};

template <class Row>
class TableColumns : public AnyTableColumns {
 public:
  TableColumns() : AnyTableColumns{columns<Row>()} {}

  Status read(std::uint64_t offset, std::uint64_t count, const DictionaryRows& dictionary, Scratch& scratch,
              std::vector<Row>& rows) {
    rows.resize(static_cast<std::size_t>(count));
    return count == 0 ? Status{} : read_rows(offset, rows.size(), dictionary, scratch, rows.data());
  }
};

}  // namespace meridian::rank_schema
