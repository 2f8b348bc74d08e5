// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "merged/model/merged_schema.hpp"
#include "merged/model/merged_tables.hpp"
#include "trace/format/tables/long_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline Error damaged_merged(std::string what) {
  return {Errc::damaged, std::move(what), "make the merged file again with `meridian merge`"};
}

/// Pieces of a table per element of its index.
inline constexpr std::uint64_t kPiecesPerBlock = kIndexRows / kPieceRows;

/// Length of the index of a table with `rows` rows.
constexpr std::uint64_t blocks_of(std::uint64_t rows) { return (rows + kIndexRows - 1) / kIndexRows; }

using NumberReader = LongTableReader<std::int64_t>;
inline Result<NumberReader> open_numbers(hid_t file, const NumberColumn& column) {
  return NumberReader::open(file, column.group, column.columns);
}

/// A whole index of `count` numbers. errors: damaged: it has another length
inline Result<std::vector<std::int64_t>> read_index(hid_t file, const NumberColumn& column, std::uint64_t count) {
  MERIDIAN_TRY(NumberReader reader, open_numbers(file, column));
  if (reader.size() != count) {
    std::string what = "the index '";
    what.append(column.columns.list[0].name).append("' contradicts what it indexes");
    return damaged_merged(std::move(what));
  }
  std::vector<std::int64_t> numbers;
  for (std::uint64_t i = 0; i < reader.pieces(); ++i) {
    MERIDIAN_TRY(const auto piece, reader.piece(i));
    numbers.insert(numbers.end(), piece.begin(), piece.end());
  }
  return numbers;
}

}  // namespace meridian
