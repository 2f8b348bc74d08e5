// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "merged/model/merged_schema.hpp"
#include "trace/format/column.hpp"
#include "trace/format/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline Error damaged_merged(std::string what) {
  return {Errc::damaged, std::move(what), "make the merged file again with `meridian merge`"};
}

/// A whole column. An error if it has more elements than a file of this size can hold.
template <class T>
Result<std::vector<T>> read_whole(hid_t file, const std::string& path) {
  constexpr std::uint64_t kMostDeflated = 1032;  // highest ratio of deflate
  MERIDIAN_TRY(ColumnReader reader, ColumnReader::open(file, path));
  if (reader.size() > h5::file_bytes(file) * kMostDeflated / sizeof(T))
    return damaged_merged("column '" + path + "' is longer than the file can hold");
  std::vector<T> values(static_cast<std::size_t>(reader.size()));
  MERIDIAN_TRY_DO(reader.read(0, std::span<T>{values}));
  return values;
}

/// A long column, one block of kIndexRows in memory.
template <class T>
class ColumnBlock {
 public:
  static Result<ColumnBlock> open(hid_t file, MergedColumn column) {
    MERIDIAN_TRY(ColumnReader reader, ColumnReader::open(file, info(column).path));
    return ColumnBlock{std::move(reader)};
  }

  std::uint64_t size() const noexcept { return reader_.size(); }
  std::uint64_t blocks() const noexcept { return (size() + kIndexRows - 1) / kIndexRows; }

  Result<std::span<const T>> block(std::uint64_t number) {
    if (number != number_ || values_.empty()) {
      const std::uint64_t first = number * kIndexRows;
      if (number >= blocks()) return damaged_merged("a row behind the end of the file is referred to");
      values_.resize(static_cast<std::size_t>(std::min(kIndexRows, size() - first)));
      number_ = number;
      if (auto status = reader_.read(first, std::span<T>{values_}); !status) {
        values_.clear();
        return std::move(status).error();
      }
    }
    return std::span<const T>{values_};
  }

  Result<T> at(std::uint64_t row) {
    MERIDIAN_TRY(const std::span<const T> values, block(row / kIndexRows));
    if (row % kIndexRows >= values.size()) return damaged_merged("a row behind the end of the file is referred to");
    return values[static_cast<std::size_t>(row % kIndexRows)];
  }

 private:
  explicit ColumnBlock(ColumnReader reader) : reader_{std::move(reader)} {}
  ColumnReader reader_;
  std::uint64_t number_ = 0;
  std::vector<T> values_;
};

using LongBlock = ColumnBlock<std::int64_t>;
using ShortBlock = ColumnBlock<std::int32_t>;

}  // namespace meridian
