// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "merged/column_block.hpp"

namespace meridian {

/// A table whose rows refer to rows of events: /messages or /parts. Its rows can be read in the order of each end.
class LinkTable {
 public:
  static constexpr std::size_t kMostEnds = 3;
  using Ends = std::array<std::uint64_t, kMostEnds>;  ///< event rows: send, completion, post; or start, completion

  /// One end, with the location of its order. Messages are stored in the order of their first end.
  struct Order {
    MergedColumn index;
    MergedColumn places;
    bool is_natural = false;
  };

  /// step, completion  columns of the first two ends; post: of the third, or no_column.
  static Result<LinkTable> open(hid_t file, MergedColumn step, MergedColumn completion, const MergedColumn* post,
                                MergedColumn index, std::span<const Order> orders, std::uint64_t events);

  std::uint64_t size() const noexcept { return size_; }
  Result<Ends> ends(std::uint64_t number);
  /// Number of the row at this place in the order of an end.
  Result<std::uint64_t> number_at(std::size_t end, std::uint64_t place);
  /// The first place in that order whose event row is at least `row`.
  Result<std::uint64_t> lower_bound(std::size_t end, std::uint64_t row);

 private:
  struct Block {
    std::uint64_t number = 0;
    std::vector<Ends> ends;
  };
  struct Sorted {
    std::vector<std::int64_t> first_rows;  // [block]
    std::vector<LongBlock> places;         // none: the order of the table
  };
  static constexpr std::size_t kKeptBlocks = 8;

  LinkTable(LongBlock step, LongBlock completion) : step_{std::move(step)}, completion_{std::move(completion)} {}
  Result<const Block*> block(std::uint64_t number);
  Result<std::uint64_t> row_at(std::size_t end, std::uint64_t place);

  std::uint64_t size_ = 0;
  std::uint64_t events_ = 0;
  LongBlock step_, completion_;
  std::vector<LongBlock> post_;      // one, or none
  std::vector<std::int64_t> first_;  // [block]: event row of its first row
  std::vector<Sorted> orders_;       // [end]
  std::deque<Block> kept_;           // latest first
};

}  // namespace meridian
