// SPDX-License-Identifier: Apache-2.0
// /stacks of the rank file.

#include <algorithm>

#include "trace/format/small_columns.hpp"

namespace meridian::rank_schema {

Status write_stacks(hid_t file, const std::vector<StackRow>& rows) {
  if (rows.empty()) return {};
  std::vector<std::uint32_t> parents;
  std::vector<std::uint64_t> addresses;
  for (const StackRow& row : rows) {
    parents.push_back(row.parent);
    addresses.push_back(row.address);
  }
  MERIDIAN_TRY_DO(write_column<std::uint32_t>(file, "stacks/parent", parents));
  return write_column<std::uint64_t>(file, "stacks/address", addresses);
}

// A parent is an earlier row than its children, so a walk from row to parent ends.
Status read_stacks(hid_t file, std::vector<StackRow>& rows) {
  if (!h5::exists(file, "stacks")) return {};
  MERIDIAN_TRY(const auto parents, read_column<std::uint32_t>(file, "stacks/parent"));
  MERIDIAN_TRY(const auto addresses, read_column<std::uint64_t>(file, "stacks/address"));
  if (parents.empty() || parents.size() > kMaxStackRows || addresses.size() != parents.size())
    return contradiction("the columns of 'stacks' are not equally long, or have no or too many rows");
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] >= std::max<std::size_t>(i, 1))
      return contradiction("a row of 'stacks' has a parent that is not before it");
    rows.push_back({parents[i], addresses[i]});
  }
  return {};
}

}  // namespace meridian::rank_schema
