// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace meridian {

/// Key -> index, for tables that change with every call: open addressing, linear probing, no tombstones, no allocation
/// per entry. `Key` has operator== and hash().
template <class Key>
class IndexMap {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  IndexMap() : slots_(16) {}

  /// kNone if the key is not in the map.
  std::uint32_t find(const Key& key) const noexcept {
    for (std::size_t at = home(key);; at = next(at)) {
      if (slots_[at].index == kNone) return kNone;
      if (slots_[at].key == key) return slots_[at].index;
    }
  }

  /// Adds the key or changes its index.
  void set(const Key& key, std::uint32_t index) {
    if (2 * (size_ + 1) > slots_.size()) [[unlikely]]
      grow(slots_.size() * 2);
    std::size_t at = home(key);
    for (; slots_[at].index != kNone; at = next(at))
      if (slots_[at].key == key) {
        slots_[at].index = index;
        return;
      }
    slots_[at] = {key, index};
    ++size_;
  }

  void erase(const Key& key) noexcept {
    std::size_t hole = home(key);
    for (; slots_[hole].index != kNone; hole = next(hole))
      if (slots_[hole].key == key) break;
    if (slots_[hole].index == kNone) return;
    --size_;
    // Entries after the gap move up unless that would put them before their first slot.
    for (std::size_t at = next(hole); slots_[at].index != kNone; at = next(at)) {
      const std::size_t mask = slots_.size() - 1;
      if (((at - home(slots_[at].key)) & mask) >= ((at - hole) & mask)) {
        slots_[hole] = slots_[at];
        hole = at;
      }
    }
    slots_[hole].index = kNone;
  }

  std::size_t size() const noexcept { return size_; }
  /// Number of entries that fit before the table grows.
  std::size_t capacity() const noexcept { return slots_.size() / 2; }
  void clear() {
    slots_.assign(slots_.size(), Slot{});
    size_ = 0;
  }

 private:
  struct Slot {
    Key key{};
    std::uint32_t index = kNone;
  };
  std::size_t home(const Key& key) const noexcept { return key.hash() & (slots_.size() - 1); }
  std::size_t next(std::size_t at) const noexcept { return (at + 1) & (slots_.size() - 1); }
  void grow(std::size_t slots) {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots));
    size_ = 0;
    for (const Slot& slot : old)
      if (slot.index != kNone) set(slot.key, slot.index);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

/// Spreads the bits of a word (the finalizer of MurmurHash3).
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

struct HandleKey {
  std::uint64_t handle = 0;
  friend bool operator==(const HandleKey&, const HandleKey&) = default;
  std::size_t hash() const noexcept { return static_cast<std::size_t>((handle * 0x9e3779b97f4a7c15ULL) >> 20); }
};

}  // namespace meridian
