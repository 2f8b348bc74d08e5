// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "trace/containers/mapped_array.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A bit for each row of a table, all clear at first, in an unnamed temporary file: the memory of the process does not
/// grow with the table.
class RowBits {
 public:
  /// errors  io: no room in `directory`, or it is not writable.
  static Result<RowBits> create(const std::filesystem::path& directory, std::uint64_t rows) {
    MERIDIAN_TRY(MappedArray<std::uint64_t> words, MappedArray<std::uint64_t>::create(directory, rows / 64 + 1));
    return RowBits{std::move(words)};
  }

  bool has(std::uint64_t row) const noexcept { return (words_[row / 64] >> (row % 64) & 1U) != 0; }
  void set(std::uint64_t row) noexcept { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  /// Rows whose bit is set.
  std::uint64_t count() const noexcept {
    std::uint64_t total = 0;
    for (std::uint64_t word = 0; word < words_.size(); ++word)
      total += static_cast<std::uint64_t>(std::popcount(words_[word]));
    return total;
  }

 private:
  explicit RowBits(MappedArray<std::uint64_t> words) : words_{std::move(words)} {}
  MappedArray<std::uint64_t> words_;
};

}  // namespace meridian
