// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace meridian {

/// Sorts rows by their member `key` (unsigned; equal keys keep their order): by digits, on the numbers of the rows. Rows that
/// come from a short stretch of the trace have keys in a short range, so two rounds suffice.
template <class Row>
class RowSorter {
 public:
  void sort(std::vector<Row>& rows) {
    if (rows.size() < 2) return;
    std::uint64_t least = UINT64_MAX, most = 0;
    bool is_sorted = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      is_sorted = is_sorted && rows[i].key >= most;
      least = std::min<std::uint64_t>(least, rows[i].key);
      most = std::max<std::uint64_t>(most, rows[i].key);
    }
    if (is_sorted) return;
    const int bits = static_cast<int>(std::bit_width(most - least));
    if (bits > kMostBits || rows.size() > UINT32_MAX) {
      std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.key; });
      return;
    }
    places_.resize(rows.size());
    other_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      places_[i] = {static_cast<std::uint32_t>(rows[i].key - least), static_cast<std::uint32_t>(i)};
    const int rounds = (bits + kDigitBits - 1) / kDigitBits;
    for (int round = 0; round < rounds; ++round) sort_by_digit(round * kDigitBits);
    sorted_.clear();
    sorted_.reserve(rows.size());
    for (const Place& place : places_) sorted_.push_back(rows[place.row]);
    rows.swap(sorted_);
  }

 private:
  static constexpr int kMostBits = 32, kDigitBits = 11;
  struct Place {
    std::uint32_t key = 0, row = 0;
  };

  void sort_by_digit(int shift) {
    constexpr std::uint32_t kMask = (1U << kDigitBits) - 1;
    std::array<std::uint32_t, (1U << kDigitBits)> next{};
    for (const Place& place : places_) ++next[place.key >> shift & kMask];
    std::uint32_t before = 0;
    for (std::uint32_t& count : next) before += std::exchange(count, before);
    for (const Place& place : places_) other_[next[place.key >> shift & kMask]++] = place;
    places_.swap(other_);
  }

  std::vector<Place> places_, other_;
  std::vector<Row> sorted_;
};

}  // namespace meridian
