// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/summary/json_rows.hpp"
#include "cli/support/json_text.hpp"
#include "summary/clock_verdict.hpp"
#include "summary/summary_tables.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

Json member(const AnyColumn& column, const void* row) {
  return std::visit(
      [&](const auto& value) -> Json {
        if constexpr (std::is_same_v<decltype(value), const std::string&>)
          if (column.is_nullable && value.empty()) return nullptr;
        return value;
      },
      value_of(column, row));
}

void add_table(const SummaryTable& table, const Summary& summary, std::size_t most_rows, Json& json) {
  const std::size_t count = std::min(table.count(summary), most_rows);
  // A table of rows is there even if it is empty: scripts need not ask.
  const bool has_rows = !table.is_flat && table.shape != SummaryTable::Shape::one_row;
  if ((table.outputs & kInJson) == 0 || (count == 0 && !has_rows && (table.when_empty & kInJson) == 0)) return;
  const char* row = static_cast<const char*>(table.rows(summary));
  if (table.is_flat) {
    const Json members = json_row(table.columns, row);
    for (const auto& [name, value] : members.items()) json[std::string{table.name} + "_" + name] = value;
  } else if (table.shape == SummaryTable::Shape::one_row) {
    json[table.name] = json_row(table.columns, row);
  } else {
    Json& rows = json[table.name] = Json::array();
    for (std::size_t i = 0; i < count; ++i, row += table.row_bytes) rows.push_back(json_row(table.columns, row));
  }
}

}  // namespace

Json json_row(std::span<const AnyColumn> columns, const void* row) {
  Json result = Json::object();
  for (const AnyColumn& column : columns)
    if (column.is_shown_in(kInJson)) result[std::string{column.name}] = member(column, row);
  return result;
}

std::string findings_json(const Summary& summary) {
  Json json;
  json["schema"] = "meridian-findings";
  json["version"] = kSummaryJsonVersion;
  for (const SummaryTable& table : summary_tables())
    if (std::string_view{table.name} == "findings") add_table(table, summary, SIZE_MAX, json);
  return json_text(json);
}

std::string summary_json(const Summary& summary, std::size_t most_rows) {
  Json json;
  json["schema"] = "meridian-summary";
  json["version"] = kSummaryJsonVersion;
  for (const SummaryTable& table : summary_tables()) add_table(table, summary, most_rows, json);
  json["clock_verdict"] = clock_verdict(summary);
  return json_text(json);
}

}  // namespace meridian
