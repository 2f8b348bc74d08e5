// SPDX-License-Identifier: Apache-2.0
// docs/SUMMARY.md against the list of tables.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "summary/summary_tables.hpp"

namespace meridian {
namespace {

/// Section by heading: everything below "### " up to the next heading.
std::map<std::string, std::string> sections() {
  std::ifstream file{MERIDIAN_SUMMARY_MD};
  std::map<std::string, std::string> found;
  std::string heading;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) heading = line;
    found[heading] += line + "\n";
  }
  return found;
}

std::string in_backticks(std::string_view name) { return "`" + std::string{name} + "`"; }

/// The section whose heading names the table; of a flat table, that of its members.
std::string section_of(const SummaryTable& table) {
  const std::string name =
      table.is_flat ? std::string{table.name} + "_" + std::string{table.columns.front().name} : std::string{table.name};
  for (const auto& [heading, text] : sections())
    if (heading.find(in_backticks(name)) != std::string::npos) return text;
  return {};
}

TEST(SummaryDocument, HasASectionForEachTable) {
  for (const SummaryTable& table : summary_tables()) EXPECT_NE(section_of(table), "") << table.name;
}

TEST(SummaryDocument, NamesEachColumnInTheSectionOfItsTable) {
  for (const SummaryTable& table : summary_tables()) {
    const std::string section = section_of(table);
    for (const AnyColumn& column : table.columns)
      EXPECT_NE(section.find(in_backticks(column.name)), std::string::npos) << table.name << " " << column.name;
    if (table.lists.name == nullptr) continue;
    for (const char* name : {table.lists.name, table.lists.row, table.lists.element})
      EXPECT_NE(section.find(in_backticks(name)), std::string::npos) << table.name << " " << name;
  }
}

TEST(SummaryTables, HaveColumnsWhoseUnitFollowsFromTheirName) {
  const auto expected = [](std::string_view name) -> std::string_view {
    for (const auto& [ending, unit] : std::map<std::string_view, std::string_view>{
             {"_s", "s"}, {"_ns", "ns"}, {"_hz", "Hz"}, {"_ppm", "ppm"}, {"bytes", "bytes"}})
      if (name.ends_with(ending)) return unit;
    return name.starts_with("bytes_") || name.find("_bytes_") != std::string_view::npos ? "bytes" : "";
  };
  for (const SummaryTable& table : summary_tables())
    for (const AnyColumn& column : table.columns)
      EXPECT_EQ(column.unit, expected(column.name)) << table.name << " " << column.name;
}

TEST(SummaryTables, HaveUniqueNamesAndSoHaveTheirColumns) {
  std::map<std::string_view, int> tables;
  for (const SummaryTable& table : summary_tables()) {
    EXPECT_EQ(++tables[table.name], 1) << table.name;
    std::map<std::string_view, int> columns;
    for (const AnyColumn& column : table.columns) EXPECT_EQ(++columns[column.name], 1) << table.name << column.name;
  }
}

}  // namespace
}  // namespace meridian
