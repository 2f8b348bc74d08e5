// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/table_column.hpp"

namespace meridian {
namespace {

template <class T>
T one(const AnyColumn& column, const void* row) {
  T value{};
  column.get(row, 1, &value, sizeof value);
  return value;
}

std::int64_t one_signed(const AnyColumn& column, const void* row) {
  switch (column.type) {
    case ColumnType::i8:
      return one<std::int8_t>(column, row);
    case ColumnType::i16:
      return one<std::int16_t>(column, row);
    case ColumnType::i32:
      return one<std::int32_t>(column, row);
    default:
      return one<std::int64_t>(column, row);
  }
}

std::uint64_t one_unsigned(const AnyColumn& column, const void* row) {
  switch (column.type) {
    case ColumnType::u8:
      return one<std::uint8_t>(column, row);
    case ColumnType::u16:
      return one<std::uint16_t>(column, row);
    case ColumnType::u32:
      return one<std::uint32_t>(column, row);
    default:
      return one<std::uint64_t>(column, row);
  }
}

}  // namespace

ColumnValue value_of(const AnyColumn& column, const void* row) {
  switch (column.form) {
    case ColumnForm::text:
      return one<std::string>(column, row);
    case ColumnForm::list:
      return one<std::vector<std::int32_t>>(column, row);
    case ColumnForm::flag:
      return one_unsigned(column, row) != 0;
    case ColumnForm::word: {
      const std::uint64_t number = one_unsigned(column, row);
      return std::string{number < column.words.size() ? column.words[number] : ""};
    }
    case ColumnForm::number:
    case ColumnForm::handle:
      break;
  }
  if (column.type == ColumnType::f64) return one<double>(column, row);
  if (is_signed(column.type)) return one_signed(column, row);
  return one_unsigned(column, row);
}

}  // namespace meridian
