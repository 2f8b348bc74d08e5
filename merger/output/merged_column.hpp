// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "merged/model/merged_schema.hpp"
#include "trace/format/column.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A column of the merged file that is written value by value. T is its type in merged_columns.def.
template <class T>
class MergedColumnWriter {
 public:
  /// level  of deflate: repetitive data gain much from a thorough search at a low cost; times gain nothing.
  static Result<MergedColumnWriter> create(hid_t file, MergedColumn column, int level = 6) {
    const MergedColumnInfo& what = info(column);
    MERIDIAN_CHECK(what.type == column_type<T>);
    MERIDIAN_TRY(ColumnWriter writer,
                 ColumnWriter::create(file, what.path, what.type,
                                      {.level = level, .unit = what.unit, .description = what.text}));
    return MergedColumnWriter{std::move(writer)};
  }

  /// A failure is reported by store() or finish().
  void push(T value) { values_.push_back(value); }
  /// Elements pushed so far.
  std::uint64_t size() const noexcept { return writer_.size() + values_.size(); }
  /// Passes on the pushed values.
  Status store() {
    MERIDIAN_TRY_DO(writer_.append(std::span<const T>{values_}));
    values_.clear();
    return {};
  }
  Status store_if_long() { return values_.size() < kKept ? Status{} : store(); }
  Status finish() {
    MERIDIAN_TRY_DO(store());
    return writer_.finish();
  }

 private:
  static constexpr std::size_t kKept = 4096;
  explicit MergedColumnWriter(ColumnWriter writer) : writer_{std::move(writer)} {}

  ColumnWriter writer_;
  std::vector<T> values_;
};

using LongColumn = MergedColumnWriter<std::int64_t>;
using ShortColumn = MergedColumnWriter<std::int32_t>;

}  // namespace meridian
