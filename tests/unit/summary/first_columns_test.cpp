// SPDX-License-Identifier: Apache-2.0
// Merged files of earlier versions are read: what they lack is optional.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "summary/summary_tables.hpp"

namespace meridian {
namespace {

// Columns of version 1.0.0-rc1, which promised that later versions read its files. A column that is new in one of these tables is
// optional(); files may lack tables that are new.
constexpr std::string_view kFirstColumns[] = {
#include "first_columns.def"
};

TEST(FirstColumns, AColumnThatIsNewInATableIsOptional) {
  const std::set<std::string_view> first(std::begin(kFirstColumns), std::end(kFirstColumns));
  std::set<std::string_view> tables;
  for (const std::string_view name : first) tables.insert(name.substr(0, name.find('.')));
  for (const SummaryTable& table : summary_tables()) {
    if (!tables.contains(table.name)) continue;
    for (const AnyColumn& column : table.columns) {
      const std::string name = std::string{table.name} + "." + std::string{column.name};
      EXPECT_TRUE(column.is_optional || first.contains(name)) << "\"" << name << "\",";
    }
  }
}

}  // namespace
}  // namespace meridian
