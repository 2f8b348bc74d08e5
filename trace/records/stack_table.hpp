// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// The call stacks of a rank: its threads share the rows of RankMeta::stacks.
class StackTable {
 public:
  /// Replaces a row if there are too many.
  static constexpr std::uint32_t kNoRow = UINT32_MAX;

  explicit StackTable(std::vector<StackRow>& rows) : rows_{rows} {}

  /// The row of a return address in the frame of row `parent`; 0: outermost frame.
  std::uint32_t row_of(std::uint32_t parent, std::uint64_t address);
  std::size_t size() const noexcept { return rows_.size(); }

  /// Called after the rows have been restored. False: they are not those of a table.
  bool restore();

 private:
  std::vector<StackRow>& rows_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known_;  // by parent's row and address
};

/// The call stacks as one thread numbers them: StackNode::id counts the thread's own nodes from 1.
class ThreadStacks {
 public:
  struct Site {
    std::uint64_t address = 0;
    std::uint32_t row = 0;  ///< in the table; 0: the call has no stack
  };

  /// False: the node is not valid as the next one.
  bool add(const StackNode& node, StackTable& table);
  /// Whether the word of a call site (kFlagSite) is valid.
  bool is_site(std::uint64_t word) const noexcept {
    const std::uint64_t id = word & ~kStackSite;
    return (word & kStackSite) == 0 || (id != 0 && id <= nodes_.size());
  }
  /// The meaning of such a word.
  Site site(std::uint64_t word) const noexcept {
    if ((word & kStackSite) == 0) return {.address = word};
    const Node& node = nodes_[(word & ~kStackSite) - 1];
    return {node.address, node.row == StackTable::kNoRow ? 0 : node.row};
  }
  void clear() { nodes_.clear(); }

  template <class Archive>
  void archive(Archive& archive) {
    archive(nodes_);
  }
  /// Whether all nodes have rows in a table of `rows`.
  bool are_within(std::size_t rows) const noexcept;

 private:
  struct Node {
    std::uint32_t row = 0;  // StackTable::kNoRow: too many
    std::uint64_t address = 0;
  };
  std::vector<Node> nodes_;  // by id minus 1
};

}  // namespace meridian
