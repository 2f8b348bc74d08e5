// SPDX-License-Identifier: Apache-2.0
#include "merged/read_definitions.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "merged/model/definition_columns.hpp"
#include "merged/read_numbers.hpp"
#include "trace/format/tables/column_table.hpp"

namespace meridian {
namespace {

Status read_groups(hid_t file, std::vector<std::vector<std::int32_t>>& groups) {
  std::vector<MergedGroup> rows;
  std::vector<MergedMember> members;
  MERIDIAN_TRY_DO(read_column_table(file, "groups", kGroupColumns, rows));
  MERIDIAN_TRY_DO(read_column_table(file, "groups", kMemberColumns, members));
  std::uint64_t expected = 0;  // groups are consecutive, so that together they have no more rows than there are members
  for (const MergedGroup& row : rows) {
    if (row.first != expected || row.size > members.size() - expected)
      return damaged_merged("groups of ranks contradict each other");
    std::vector<std::int32_t>& group = groups.emplace_back();
    for (std::uint64_t i = 0; i < row.size; ++i) group.push_back(members[static_cast<std::size_t>(expected + i)].rank);
    expected += row.size;
  }
  return {};
}

}  // namespace

Result<MergedDefinitions> read_definitions(hid_t file) {
  MergedDefinitions all;
  MERIDIAN_TRY(all.time_origin_realtime_ns, h5::read_int_attribute(file, "time_origin_realtime_ns"));
  MERIDIAN_TRY_DO(read_column_table(file, "calls", kCallColumns, all.calls));
  MERIDIAN_TRY_DO(read_column_table(file, "communicators", kCommunicatorColumns, all.communicators));
  MERIDIAN_TRY_DO(read_groups(file, all.groups));
  MERIDIAN_TRY_DO(read_column_table(file, "ranks", kRankColumns, all.ranks));
  MERIDIAN_TRY_DO(read_column_table(file, "threads", kLocationColumns, all.locations));
  if (h5::exists(file, "sites/module")) {
    MERIDIAN_TRY_DO(read_column_table(file, "modules", kModuleColumns, all.modules));
    MERIDIAN_TRY_DO(read_column_table(file, "sites", kSiteColumns, all.sites));
  }
  if (h5::exists(file, "paths/parent")) MERIDIAN_TRY_DO(read_column_table(file, "paths", kPathColumns, all.paths));
  if (h5::exists(file, "user_definitions/call"))
    MERIDIAN_TRY_DO(read_column_table(file, "user_definitions", kUserColumns, all.user));
  if (!std::ranges::is_sorted(all.user, std::less_equal<>{}, &MergedUserEvent::call))
    return damaged_merged("definitions of user events are out of order");
  return all;
}

}  // namespace meridian
