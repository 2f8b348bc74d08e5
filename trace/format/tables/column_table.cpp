// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/column_table.hpp"

#include <string>
#include <vector>

#include "trace/format/tables/table.hpp"

namespace meridian {
namespace {

bool is_on_disk(const AnyColumn& column) { return column.is_shown_in(kInFile) && column.form != ColumnForm::list; }

Error damaged(const AnyColumn& column, const char* reason) {
  return Error{Errc::damaged, "column '" + std::string{column.name} + "' " + reason,
               "make the merged file again with `meridian merge`"};
}

Status write_column(hid_t group, const AnyColumn& column, const void* rows, std::size_t count,
                    const ColumnTableOptions& table) {
  const std::string name{column.name};
  if (column.form == ColumnForm::text) {
    std::vector<std::string> texts(count);
    column.get(rows, count, texts.data(), sizeof(std::string));
    return h5::write_strings(group, name, texts);
  }
  const ColumnOptions options{.is_narrow = table.is_narrow,
                              .unit = column.unit,
                              .description = table.has_texts ? column.text : std::string_view{}};
  std::vector<std::uint64_t> values(count);
  column.get(rows, count, values.data(), width_of(column.type));
  MERIDIAN_TRY(ColumnWriter writer, ColumnWriter::create(group, name, column.type, options));
  MERIDIAN_TRY_DO(writer.append_raw(values.data(), count));
  return writer.finish();
}

// A table's row has several columns and takes more room in memory than in the file: a column with more rows than the
// file has bytes is damaged, unless the table may be that large in any file.
bool is_bounded(hid_t group, std::uint64_t rows, const AnyColumn& column, const RowRoom& room) {
  return rows <= h5::file_bytes(group) ||
         (room.free_bytes != 0 && h5::is_plausible(group, rows, width_of(column.type), room.free_bytes));
}

// The first column creates the rows.
struct Rows {
  const RowRoom& room;
  void* data = nullptr;
  std::size_t count = 0;
  bool exist = false;

  Status fit(const AnyColumn& column, std::size_t length) {
    if (!exist) {
      if (!room.make(room.context, length, data)) return damaged(column, "has a length that its table cannot have");
      count = length;
      exist = true;
    }
    return length == count ? Status{} : damaged(column, "has another length than the others of its table");
  }
};

Status read_column(hid_t group, const AnyColumn& column, Rows& rows) {
  const std::string name{column.name};
  if (column.form == ColumnForm::text) {
    MERIDIAN_TRY(const std::vector<std::string> texts, h5::read_strings(group, name));
    MERIDIAN_TRY_DO(rows.fit(column, texts.size()));
    column.set(rows.data, rows.count, texts.data(), sizeof(std::string));
    return {};
  }
  MERIDIAN_TRY(ColumnReader reader, ColumnReader::open(group, name));
  if (!is_bounded(group, reader.size(), column, rows.room)) return damaged(column, "is longer than the file can hold");
  const auto count = static_cast<std::size_t>(reader.size());
  MERIDIAN_TRY_DO(rows.fit(column, count));
  std::vector<std::uint64_t> values(count);
  MERIDIAN_TRY_DO(reader.read_raw(0, values.data(), count, column.type));
  if (column.form == ColumnForm::word) {
    MERIDIAN_CHECK(column.type == ColumnType::u8);
    const auto* numbers = reinterpret_cast<const std::uint8_t*>(values.data());
    for (std::size_t i = 0; i < count; ++i)
      if (numbers[i] >= column.words.size()) return damaged(column, "has a number without a meaning");
  }
  column.set(rows.data, rows.count, values.data(), width_of(column.type));
  return {};
}

}  // namespace

Status write_columns(hid_t group, std::span<const AnyColumn> columns, const void* rows, std::size_t count,
                     const ColumnTableOptions& options) {
  for (const AnyColumn& column : columns)
    if (is_on_disk(column)) MERIDIAN_TRY_DO(write_column(group, column, rows, count, options));
  return {};
}

Status read_columns(hid_t group, std::span<const AnyColumn> columns, const RowRoom& room) {
  Rows rows{.room = room};
  for (const AnyColumn& column : columns) {
    if (!is_on_disk(column) || column.set == nullptr) continue;
    if (column.is_optional && !h5::exists(group, std::string{column.name})) continue;
    MERIDIAN_TRY_DO(read_column(group, column, rows));
  }
  return {};
}

Status write_column_table(hid_t parent, const std::string& name, std::span<const AnyColumn> columns, const void* rows,
                          std::size_t count) {
  MERIDIAN_TRY(const h5::Group group,
               h5::exists(parent, name) ? h5::open_group(parent, name) : h5::create_group(parent, name));
  return write_columns(group.get(), columns, rows, count, {.has_texts = true});
}

Status read_column_table(hid_t parent, const std::string& name, std::span<const AnyColumn> columns,
                         const RowRoom& room) {
  MERIDIAN_TRY(const h5::Group group, h5::open_group(parent, name));
  Status status = read_columns(group.get(), columns, room);
  if (!status) status.error().what.append(" (table '").append(name).append("')");
  return status;
}

}  // namespace meridian
