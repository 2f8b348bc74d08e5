// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "trace/containers/mapped_array.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The row of /events for each slot, a number for a call that is known before its row is. On disk, 8 bytes a slot.
class RowMap {
 public:
  static constexpr std::uint64_t kReleaseEvery = 1 << 20;  ///< rows between two calls of release_pages(): 8 MiB

  RowMap() = default;  ///< no slots
  /// scratch  a directory for the data, which is not visible there; empty: the current one.
  static Result<RowMap> create(const std::filesystem::path& scratch, std::uint64_t slots) {
    RowMap map;
    MERIDIAN_TRY(map.rows_, MappedArray<std::uint64_t>::create(scratch.empty() ? "." : scratch, slots));
    return map;
  }

  std::uint64_t slots() const noexcept { return rows_.size(); }
  void set(std::uint64_t slot, std::uint64_t row) noexcept { rows_[slot] = row + 1; }
  bool has(std::uint64_t slot) const noexcept { return rows_[slot] != 0; }
  /// The row of a slot; the slot must have one.
  std::uint64_t row(std::uint64_t slot) const {
    MERIDIAN_CHECK(rows_[slot] != 0);
    return rows_[slot] - 1;
  }
  /// Between many rows: memory then does not grow with the map.
  void release_pages() const noexcept { rows_.release_pages(); }

 private:
  MappedArray<std::uint64_t> rows_;  // row + 1; 0: none
};

}  // namespace meridian
