// SPDX-License-Identifier: Apache-2.0
#include "summary/summary_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "summary/summary_tables.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {
namespace {

constexpr const char* kGroup = "summary";
constexpr const char* kSchema = "meridian-summary";
constexpr std::int64_t kVersion = 1;

/// One element of a list: a row of the table SummaryTable::lists.
struct ListElement {
  std::uint32_t row = 0;
  std::int32_t element = 0;
};
struct ListColumns {
  std::array<AnyColumn, 2> both;
  explicit ListColumns(const SummaryTable::ListTable& table)
      : both{column<&ListElement::row>(table.row), column<&ListElement::element>(table.element)} {}
};

const AnyColumn& list_column(const SummaryTable& table) {
  const auto found = std::ranges::find(table.columns, ColumnForm::list, &AnyColumn::form);
  MERIDIAN_CHECK(found != table.columns.end());
  return *found;
}

Error damaged(const std::string& what) {
  return Error{Errc::damaged, "cannot read the summary: " + what, "make the merged file again with `meridian merge`"};
}

Status write_lists(hid_t summary, const SummaryTable& table, const void* rows, std::size_t count) {
  std::vector<std::vector<std::int32_t>> lists(count);
  list_column(table).get(rows, count, lists.data(), sizeof(std::vector<std::int32_t>));
  std::vector<ListElement> elements;
  for (std::size_t i = 0; i < count; ++i)
    for (const std::int32_t element : lists[i]) elements.push_back({static_cast<std::uint32_t>(i), element});
  MERIDIAN_TRY(const h5::Group group, h5::create_group(summary, table.lists.name));
  return write_columns(group.get(), ListColumns{table.lists}.both, elements.data(), elements.size());
}

Status read_lists(hid_t summary, const SummaryTable& table, void* rows, std::size_t count) {
  std::vector<ListElement> elements;
  MERIDIAN_TRY(const h5::Group group, h5::open_group(summary, table.lists.name));
  MERIDIAN_TRY_DO(read_columns(group.get(), ListColumns{table.lists}.both, room_in(elements)));
  std::vector<std::vector<std::int32_t>> lists(count);
  for (const ListElement& element : elements) {
    if (element.row >= count)
      return damaged(std::string{"'"}.append(table.lists.name).append("' names a row that is not there"));
    lists[element.row].push_back(element.element);
  }
  list_column(table).set(rows, count, lists.data(), sizeof(std::vector<std::int32_t>));
  return {};
}

Status write_table(hid_t summary, const SummaryTable& table, const Summary& source) {
  const std::size_t count = table.count(source);
  if ((table.outputs & kInFile) == 0 || (count == 0 && (table.when_empty & kInFile) == 0)) return {};
  MERIDIAN_TRY(const h5::Group group, h5::create_group(summary, table.name));
  MERIDIAN_TRY_DO(write_columns(group.get(), table.columns, table.rows(source), count));
  return table.lists.name == nullptr ? Status{} : write_lists(summary, table, table.rows(source), count);
}

// Rows of a table while they are read into the summary.
struct Rows {
  const SummaryTable& table;
  Summary& summary;
  void* data = nullptr;
  std::size_t count = 0;

  static bool make(void* context, std::size_t count, void*& rows) {
    Rows& self = *static_cast<Rows*>(context);
    if (self.table.shape == SummaryTable::Shape::one_row && count != 1) return false;
    self.count = count;
    self.data = rows = self.table.make_rows(self.summary, count);
    return true;
  }
};

Status read_rows(hid_t summary, const SummaryTable& table, Summary& target) {
  if ((table.when_empty & kInFile) == 0 && !h5::exists(summary, table.name)) return {};
  MERIDIAN_TRY(const h5::Group group, h5::open_group(summary, table.name));
  Rows rows{.table = table, .summary = target};
  MERIDIAN_TRY_DO(read_columns(group.get(), table.columns, {&Rows::make, &rows}));
  return table.lists.name == nullptr ? Status{} : read_lists(summary, table, rows.data, rows.count);
}

}  // namespace

Status write_summary(std::int64_t file, const Summary& summary) {
  MERIDIAN_TRY(const h5::Group group, h5::create_group(file, kGroup));
  MERIDIAN_TRY_DO(h5::write_attribute(group.get(), "schema", kSchema));
  MERIDIAN_TRY_DO(h5::write_attribute(group.get(), "version", kVersion));
  for (const SummaryTable& table : summary_tables()) MERIDIAN_TRY_DO(write_table(group.get(), table, summary));
  return {};
}

Result<Summary> read_summary(std::int64_t file, const std::filesystem::path& path) {
  std::string name = "'";
  name.append(path.string()).append("'");
  const char* const hint = "give the merged.h5 that `meridian merge` made";
  auto group = h5::open_group(file, kGroup);
  if (!group) return Error{group.error().code, name + " has no summary", hint};
  const auto schema = h5::read_string_attribute(group->get(), "schema");
  const auto version = h5::read_int_attribute(group->get(), "version");
  if (!schema || !version || *schema != kSchema)
    return Error{Errc::damaged, name + " has a group 'summary' that is not Meridian's", hint};
  if (*version != kVersion)
    return Error{Errc::unsupported,
                 name + " has a summary of version " + std::to_string(*version) + ", this program reads version " +
                     std::to_string(kVersion),
                 "use the version of meridian that made it, or merge again"};
  Summary summary;
  for (const SummaryTable& table : summary_tables()) {
    if ((table.outputs & kInFile) == 0) continue;
    Status status = read_rows(group->get(), table, summary);
    if (status) continue;
    status.error().what += " (table '" + std::string{table.name} + "')";
    return h5::in_file(std::move(status).error(), "merged file", path);
  }
  return summary;
}

}  // namespace meridian
