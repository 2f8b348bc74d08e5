// SPDX-License-Identifier: Apache-2.0
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

constexpr int kLevel = 3;
constexpr int kTimeLevel = 1;

std::string path_of(const std::string& group, const AnyColumn& column) {
  std::string path = group;
  path.append("/").append(column.name);
  return path;
}

}  // namespace

Result<AnyLongTableWriter> AnyLongTableWriter::create(ColumnParent parent, const std::string& group,
                                                      std::span<const AnyColumn> columns) {
  AnyLongTableWriter table;
  table.columns_ = columns;
  for (const AnyColumn& column : columns) {
    const bool is_time = column.unit == "ns";
    const ColumnOptions options{.level = is_time ? kTimeLevel : kLevel,
                                .is_noisy = is_time,
                                .may_be_noisy = true,
                                .unit = column.unit,
                                .description = column.text};
    MERIDIAN_TRY(ColumnWriter writer, ColumnWriter::create(parent, path_of(group, column), column.type, options));
    table.writers_.push_back(std::move(writer));
  }
  return table;
}

Status AnyLongTableWriter::append(const void* rows, std::size_t count) {
  if (values_.size() < count) values_.resize(count);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].get(rows, count, values_.data(), width_of(columns_[i].type));
    MERIDIAN_TRY_DO(writers_[i].append_raw(values_.data(), count));
  }
  return {};
}

Status AnyLongTableWriter::finish() {
  for (ColumnWriter& writer : writers_) MERIDIAN_TRY_DO(writer.finish());
  return {};
}

Result<AnyLongTableReader> AnyLongTableReader::open(hid_t parent, const std::string& group,
                                                    std::span<const AnyColumn> columns, std::uint32_t wanted,
                                                    std::uint32_t optional) {
  MERIDIAN_CHECK(columns.size() < 32);
  AnyLongTableReader table;
  bool is_first = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string path = path_of(group, columns[i]);
    if ((optional >> i & 1) != 0 && !h5::exists(parent, path)) continue;
    MERIDIAN_TRY(ColumnReader reader, ColumnReader::open(parent, path));
    if (std::exchange(is_first, false)) table.size_ = reader.size();
    if (reader.size() != table.size_) {
      std::string what = "column '";
      what.append(path).append("' has another length than the others of its table");
      return Error{Errc::damaged, std::move(what), ""};
    }
    if ((wanted >> i & 1) != 0) table.sources_.push_back({&columns[i], std::move(reader)});
  }
  return table;
}

Status AnyLongTableReader::read(std::uint64_t first, std::size_t count, void* rows) {
  if (values_.size() < count) values_.resize(count);
  for (auto& [column, reader] : sources_) {
    MERIDIAN_TRY_DO(reader.read_raw(first, values_.data(), count, column->type));
    column->set(rows, count, values_.data(), width_of(column->type));
  }
  return {};
}

}  // namespace meridian
