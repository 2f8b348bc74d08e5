// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables that do not fit in memory: a group with a dataset for each column, written and read a piece at a time.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/format/tables/column.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// Rows in a piece: few enough that all of its columns stay in the processor's cache.
inline constexpr std::size_t kPieceRows = 4096;

/// The writing side, for rows of any type.
class AnyLongTableWriter {
 public:
  /// Times (columns in ns) are stored as noise, because deflate gains little there; other columns are deflated at level 3.
  static Result<AnyLongTableWriter> create(ColumnParent parent, const std::string& group,
                                           std::span<const AnyColumn> columns);
  Status append(const void* rows, std::size_t count);
  Status finish();

 private:
  std::span<const AnyColumn> columns_;
  std::vector<ColumnWriter> writers_;
  std::vector<std::uint64_t> values_;  // of one column; room for any type
};

/// Writes a table a row at a time.
template <class Row>
class LongTableWriter {
 public:
  /// `columns` are those of `Row`, or the first of them; they outlive the writer.
  static Result<LongTableWriter> create(ColumnParent parent, const std::string& group,
                                        std::span<const AnyColumn> columns) {
    MERIDIAN_TRY(AnyLongTableWriter writer, AnyLongTableWriter::create(parent, group, columns));
    LongTableWriter table;
    table.writer_.emplace(std::move(writer));
    return table;
  }
  Status push(const Row& row) {
    rows_.push_back(row);
    ++size_;
    return rows_.size() < kPieceRows ? Status{} : store();
  }
  /// Rows of a whole block, without a copy.
  Status append(std::span<const Row> rows) {
    MERIDIAN_TRY_DO(store());
    size_ += rows.size();
    for (; !rows.empty(); rows = rows.subspan(std::min(rows.size(), kPieceRows)))
      MERIDIAN_TRY_DO(writer_->append(rows.data(), std::min(rows.size(), kPieceRows)));
    return {};
  }
  /// Rows pushed so far.
  std::uint64_t size() const noexcept { return size_; }
  Status finish() {
    MERIDIAN_TRY_DO(store());
    return writer_->finish();
  }

 private:
  Status store() {
    MERIDIAN_TRY_DO(writer_->append(rows_.data(), rows_.size()));
    rows_.clear();
    return {};
  }
  std::optional<AnyLongTableWriter> writer_;
  std::vector<Row> rows_;
  std::uint64_t size_ = 0;
};

/// The reading side, for rows of any type.
class AnyLongTableReader {
 public:
  /// wanted    bit i: column i is read; the others keep what the rows have.
  /// optional  bit i: column i may be missing in the file.
  /// errors    as of ColumnReader::open; damaged: columns of different lengths, whether they are wanted or not
  static Result<AnyLongTableReader> open(hid_t parent, const std::string& group, std::span<const AnyColumn> columns,
                                         std::uint32_t wanted = UINT32_MAX, std::uint32_t optional = 0);
  std::uint64_t size() const noexcept { return size_; }
  /// Rows [first, first + count), which must be there.
  Status read(std::uint64_t first, std::size_t count, void* rows);

 private:
  struct Source {
    const AnyColumn* column;
    ColumnReader reader;
  };
  std::vector<Source> sources_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> values_;
};

/// Reads a table by pieces, and keeps the last one: rows that are asked for in order are decoded once.
template <class Row>
class LongTableReader {
 public:
  static Result<LongTableReader> open(hid_t parent, const std::string& group, std::span<const AnyColumn> columns,
                                      std::uint32_t wanted = UINT32_MAX, std::uint32_t optional = 0) {
    MERIDIAN_TRY(AnyLongTableReader reader, AnyLongTableReader::open(parent, group, columns, wanted, optional));
    LongTableReader table;
    table.reader_.emplace(std::move(reader));
    return table;
  }
  std::uint64_t size() const noexcept { return reader_ ? reader_->size() : 0; }
  std::uint64_t pieces() const noexcept { return (size() + kPieceRows - 1) / kPieceRows; }

  /// Rows [number * kPieceRows, ...), until the next call. errors: damaged (beyond the end, or unreadable), io.
  Result<std::span<const Row>> piece(std::uint64_t number) {
    if (number == number_ && !rows_.empty()) return std::span<const Row>{rows_};
    const std::uint64_t first = number * kPieceRows;
    if (number >= pieces()) return beyond();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceRows, size() - first));
    rows_.resize(count);
    number_ = number;
    if (Status status = reader_->read(first, count, rows_.data()); !status) {
      rows_.clear();
      return std::move(status).error();
    }
    return std::span<const Row>{rows_};
  }
  /// Rows [first, first + rows.size()), which must be there; columns that are not wanted keep their values.
  Status read(std::uint64_t first, std::span<Row> rows) { return reader_->read(first, rows.size(), rows.data()); }
  /// A row, until the next call.
  Result<const Row*> at(std::uint64_t row) {
    MERIDIAN_TRY(const std::span<const Row> rows, piece(row / kPieceRows));
    if (row % kPieceRows >= rows.size()) return beyond();
    return &rows[static_cast<std::size_t>(row % kPieceRows)];
  }

 private:
  static Error beyond() { return {Errc::damaged, "a row behind the end of a table is referred to", ""}; }
  std::optional<AnyLongTableReader> reader_;
  std::uint64_t number_ = 0;
  std::vector<Row> rows_;
};

}  // namespace meridian
