// SPDX-License-Identifier: Apache-2.0
// Properties of every table of the summary.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cli/summary/csv.hpp"
#include "summary/summary_tables.hpp"

namespace meridian {
namespace {

TEST(SummaryTables, SayWhatTheyAndTheirColumnsAre) {
  for (const SummaryTable& table : summary_tables()) {
    EXPECT_STRNE(table.text, "") << table.name;
    for (const AnyColumn& column : table.columns) EXPECT_NE(column.text, "") << table.name << " " << column.name;
  }
}

TEST(SummaryTables, HaveColumnsWhoseUnitFollowsFromTheirName) {
  const auto expected = [](std::string_view name) -> std::string_view {
    for (const auto& [ending, unit] : std::map<std::string_view, std::string_view>{{"_s", "s"},
                                                                                   {"_ns", "ns"},
                                                                                   {"_hz", "Hz"},
                                                                                   {"_ppm", "ppm"},
                                                                                   {"_Bps", "bytes/s"},
                                                                                   {"bytes", "bytes"},
                                                                                   {"joules", "J"},
                                                                                   {"watts", "W"}})
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

TEST(SummaryCsv, GivesSpreadsheetsNoFormulas) {
  for (const std::string text : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
    Summary summary;
    summary.findings = {{text, Severity::info, 1, "a=1", "", ""}};
    const std::string csv = summary_csv(summary);
    EXPECT_NE(csv.find("findings,'" + text + ",info,1,a=1,,\n"), std::string::npos) << csv;
  }
}

}  // namespace
}  // namespace meridian
