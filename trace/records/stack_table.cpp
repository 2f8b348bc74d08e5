// SPDX-License-Identifier: Apache-2.0
#include "trace/records/stack_table.hpp"

#include <algorithm>

namespace meridian {

std::uint32_t StackTable::row_of(std::uint32_t parent, std::uint64_t address) {
  if (rows_.empty()) rows_.emplace_back();  // row 0: no stack
  if (const auto known = known_.find({parent, address}); known != known_.end()) return known->second;
  if (parent == kNoRow || rows_.size() >= kMaxStackRows) return kNoRow;
  const auto row = static_cast<std::uint32_t>(rows_.size());
  known_[{parent, address}] = row;
  rows_.push_back({parent, address});
  return row;
}

bool StackTable::restore() {
  if (rows_.size() > kMaxStackRows) return false;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].parent >= std::max<std::size_t>(i, 1)) return false;
    if (i > 0) known_[{rows_[i].parent, rows_[i].address}] = static_cast<std::uint32_t>(i);
  }
  return true;
}

bool ThreadStacks::add(const StackNode& node, StackTable& table) {
  if (node.id != nodes_.size() + 1 || node.parent > nodes_.size()) return false;
  const std::uint32_t parent = node.parent == 0 ? 0 : nodes_[node.parent - 1].row;
  nodes_.push_back({table.row_of(parent, node.return_address), node.return_address});
  return true;
}

bool ThreadStacks::are_within(std::size_t rows) const noexcept {
  return std::ranges::all_of(nodes_,
                             [rows](const Node& node) { return node.row == StackTable::kNoRow || node.row < rows; });
}

}  // namespace meridian
