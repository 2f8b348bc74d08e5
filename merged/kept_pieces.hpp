// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/format/tables/long_table.hpp"

namespace meridian {

/// Decoded pieces of a table, the latest few: the ends of a message are often on two sides of a border.
template <class Row>
class KeptPieces {
 public:
  /// Null: it is not kept.
  const std::vector<Row>* find(std::uint64_t number) {
    if (slots_[last_].number == number) return &slots_[last_].rows;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].number == number) {
        last_ = i;
        return &slots_[i].rows;
      }
    return nullptr;
  }
  /// Room for a piece, which counts with keep(): the room of the one that came first.
  std::vector<Row>& room() {
    last_ = next_;
    slots_[last_].number = kNone;
    slots_[last_].rows.clear();
    return slots_[last_].rows;
  }
  void keep(std::uint64_t number) {
    slots_[last_].number = number;
    next_ = (last_ + 1) % slots_.size();
  }

 private:
  static constexpr std::uint64_t kNone = UINT64_MAX;
  struct Slot {
    std::uint64_t number = kNone;
    std::vector<Row> rows;
  };
  std::array<Slot, 16> slots_;
  std::size_t last_ = 0;
  std::size_t next_ = 0;
};

}  // namespace meridian
