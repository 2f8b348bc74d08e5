// SPDX-License-Identifier: Apache-2.0
#include "summary/summary_bytes.hpp"

#include <algorithm>
#include <string>

#include "summary/summary_tables.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/model/result.hpp"

namespace meridian {
namespace {

using List = std::vector<std::int32_t>;

const SummaryTable& table_of(std::string_view name) {
  const auto tables = summary_tables();
  const auto found = std::ranges::find(tables, name, [](const SummaryTable& table) { return table.name; });
  MERIDIAN_CHECK(found != tables.end());
  return *found;
}

template <class Value>
void write_objects(StateWriter& archive, const AnyColumn& column, const void* rows, std::size_t count) {
  std::vector<Value> values(count);
  column.get(rows, count, values.data(), sizeof(Value));
  for (const Value& value : values) archive(value);
}

template <class Value>
void read_objects(StateReader& archive, const AnyColumn& column, void* rows, std::size_t count) {
  std::vector<Value> values(count);
  for (Value& value : values) archive(value);
  column.set(rows, count, values.data(), sizeof(Value));
}

void write_column(StateWriter& archive, const AnyColumn& column, const void* rows, std::size_t count) {
  if (column.form == ColumnForm::text) return write_objects<std::string>(archive, column, rows, count);
  if (column.form == ColumnForm::list) return write_objects<List>(archive, column, rows, count);
  const std::size_t width = width_of(column.type);
  std::vector<std::uint8_t> values(count * width);
  column.get(rows, count, values.data(), width);
  archive(values);
}

bool read_column(StateReader& archive, const AnyColumn& column, void* rows, std::size_t count) {
  if (column.form == ColumnForm::text) {
    read_objects<std::string>(archive, column, rows, count);
  } else if (column.form == ColumnForm::list) {
    read_objects<List>(archive, column, rows, count);
  } else {
    const std::size_t width = width_of(column.type);
    std::vector<std::uint8_t> values;
    archive(values);
    if (values.size() != count * width) return false;
    column.set(rows, count, values.data(), width);
  }
  return archive.is_good();
}

bool read_table(StateReader& archive, const SummaryTable& table, Summary& summary) {
  const std::size_t count = archive.count_of(1);  // each row has at least a byte
  if (!archive.is_good() || (table.shape == SummaryTable::Shape::one_row && count != 1)) return false;
  void* const rows = table.make_rows(summary, count);
  return std::ranges::all_of(table.columns, [&](const AnyColumn& column) {
    return column.set == nullptr || read_column(archive, column, rows, count);
  });
}

}  // namespace

std::vector<std::uint8_t> summary_bytes(const Summary& summary, std::span<const std::string_view> tables) {
  StateWriter archive;
  for (const std::string_view name : tables) {
    const SummaryTable& table = table_of(name);
    const std::size_t count = table.count(summary);
    archive(std::string{name}, std::uint64_t{count});
    for (const AnyColumn& column : table.columns)
      if (column.set != nullptr) write_column(archive, column, table.rows(summary), count);
  }
  return archive.take();
}

bool take_summary_bytes(std::span<const std::uint8_t> bytes, std::span<const std::string_view> tables,
                        Summary& summary) {
  StateReader archive{bytes};
  for (const std::string_view name : tables) {
    std::string stored;
    archive(stored);
    if (stored != name || !read_table(archive, table_of(name), summary)) return false;
  }
  return archive.is_good() && archive.is_at_end();
}

}  // namespace meridian
