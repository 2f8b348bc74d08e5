// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace meridian {

/// Values by number, in one block of memory without a node for each: entries that come and go, as messages under way,
/// cost no allocation. Pointers and references are valid until the next insertion or removal. The largest number is no key.
template <class Value>
class NumberTable {
 public:
  std::size_t size() const noexcept { return size_; }

  /// Null: there is none.
  Value* find(std::uint64_t key) noexcept {
    if (size_ == 0) return nullptr;
    Slot& slot = slots_[place_of(key)];
    return slot.key == key ? &slot.value : nullptr;
  }
  const Value* find(std::uint64_t key) const noexcept { return const_cast<NumberTable*>(this)->find(key); }

  /// The value of the key; if there is none, a new one.
  Value& operator[](std::uint64_t key) {
    if (slots_.empty()) grow();
    std::size_t place = place_of(key);
    if (slots_[place].key == key) return slots_[place].value;
    if (2 * (size_ + 1) > slots_.size()) {
      grow();
      place = place_of(key);
    }
    ++size_;
    slots_[place].key = key;
    return slots_[place].value;
  }

  void erase(std::uint64_t key) {
    if (size_ == 0) return;
    std::size_t hole = place_of(key);
    if (slots_[hole].key != key) return;
    --size_;
    // Those that had to go past the hole take it, so that they are found from where they belong.
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; slots_[at].key != kFree; at = (at + 1) & mask) {
      const std::size_t home = home_of(slots_[at].key);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = std::move(slots_[at]);
      hole = at;
    }
    slots_[hole] = {};
  }

 private:
  static constexpr std::uint64_t kFree = UINT64_MAX;
  static constexpr std::size_t kFirstSlots = 16;
  struct Slot {
    std::uint64_t key = kFree;
    Value value{};
  };

  std::size_t home_of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15ULL >> shift_);
  }
  /// Where the key is, or would be.
  std::size_t place_of(std::uint64_t key) const noexcept {
    std::size_t at = home_of(key);
    while (slots_[at].key != key && slots_[at].key != kFree) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? kFirstSlots : 2 * slots_.size());
    old.swap(slots_);
    shift_ = 64 - static_cast<int>(std::bit_width(slots_.size() - 1));
    for (Slot& slot : old)
      if (slot.key != kFree) slots_[place_of(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them taken
  int shift_ = 0;
  std::size_t size_ = 0;
};

}  // namespace meridian
