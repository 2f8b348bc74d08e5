// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "trace/model/result.hpp"

namespace meridian {

/// A bit for each row of a table, all clear at first, in an unnamed temporary file: the memory of the process does not
/// grow with the table.
class RowBits {
 public:
  /// errors  io: the folder for temporary files is full, or cannot be written.
  static Result<RowBits> create(std::uint64_t rows);
  RowBits(RowBits&& other) noexcept;
  RowBits& operator=(RowBits&& other) noexcept;
  ~RowBits();

  bool has(std::uint64_t row) const noexcept { return (words_[row / 64] >> (row % 64) & 1U) != 0; }
  void set(std::uint64_t row) noexcept { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  /// Rows whose bit is set.
  std::uint64_t count() const noexcept;

 private:
  explicit RowBits(std::span<std::uint64_t> words) : words_{words} {}
  std::span<std::uint64_t> words_;  // mapped
};

}  // namespace meridian
