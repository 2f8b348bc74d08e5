// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

class StateReader;
class StateWriter;

/// The elements of a column's incomplete chunk. While all of them are the same, they take no memory.
class PendingRows {
 public:
  explicit PendingRows(ColumnType type = ColumnType::u8) : type_{type} {}

  std::size_t size() const noexcept { return size_; }
  void append(const std::uint8_t* values, std::size_t count);
  void clear() noexcept;
  /// Whether all elements are same(), which then is as of element(). May be false although they are.
  bool is_same() const noexcept { return is_same_; }
  std::uint64_t same() const noexcept { return same_; }

  /// The elements in memory, until the next append().
  const std::vector<std::uint8_t>& values();
  /// The same; `buffer` takes its place, and there are no elements.
  std::vector<std::uint8_t> take(std::vector<std::uint8_t> buffer);

  /// As narrow as possible: a checkpoint consists mostly of such elements.
  void save(StateWriter& archive) const;
  /// False: not as saved, or not fewer than `most`.
  bool restore(StateReader& archive, std::size_t most);

 private:
  bool append_same(const std::uint8_t* values, std::size_t count);

  ColumnType type_;
  bool is_same_ = true;
  std::uint64_t same_ = 0;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> values_;  // empty if is_same_
};

}  // namespace meridian
