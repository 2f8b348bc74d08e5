// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace meridian {

/// Numbers 64-bit values in the order of their first occurrence; 0 is value 0. A lookup takes a few ns, because handles
/// recur often. The table is bounded: when it has kMost entries it is emptied, and recurring values get a second
/// number. values() may therefore contain a value more than once, but each number always means the same value.
class Dictionary {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 19;

  Dictionary() { clear(kFirstSlots); }

  std::uint32_t number_of(std::uint64_t value) {
    if (value == 0) return 0;
    for (std::size_t slot = slot_of(value);; slot = (slot + 1) & mask_) {
      const Entry& entry = entries_[slot];
      if (entry.value == value) return entry.number;
      if (entry.value == 0) return add(slot, value);
    }
  }

  /// Values that were numbered since the last call.
  std::vector<std::uint64_t> take_new() {
    std::vector<std::uint64_t> taken;
    taken.swap(fresh_);
    return taken;
  }

  std::uint64_t size() const noexcept { return next_; }

  /// The state that a dictionary needs to continue with the same numbers.
  template <class Archive>
  void save(Archive& archive) const {
    std::vector<std::uint64_t> values;
    std::vector<std::uint32_t> numbers;
    for (const Entry& entry : entries_) {
      if (entry.value == 0) continue;
      values.push_back(entry.value);
      numbers.push_back(entry.number);
    }
    archive(next_, fresh_, values, numbers);
  }
  /// False: not a valid dictionary.
  template <class Archive>
  bool restore(Archive& archive) {
    std::vector<std::uint64_t> values;
    std::vector<std::uint32_t> numbers;
    std::uint64_t next = 0;
    archive(next, fresh_, values, numbers);
    if (!archive.is_good() || next == 0 || values.size() != numbers.size() || values.size() > 2 * kMost) return false;
    clear(kFirstSlots);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0 || numbers[i] >= next) return false;
      if (used_ * 2 >= entries_.size()) grow();
      put({values[i], numbers[i]});
      ++used_;
    }
    next_ = next;
    return true;
  }

 private:
  struct Entry {
    std::uint64_t value = 0;
    std::uint32_t number = 0;
  };
  static constexpr std::size_t kFirstSlots = 1024;

  std::size_t slot_of(std::uint64_t value) const noexcept {
    return static_cast<std::size_t>((value * 0x9e3779b97f4a7c15ULL) >> 20) & mask_;
  }

  void clear(std::size_t slots) {
    entries_.assign(slots, Entry{});
    mask_ = slots - 1;
    used_ = 0;
  }

  [[gnu::noinline]] std::uint32_t add(std::size_t slot, std::uint64_t value) {
    const std::uint32_t number = static_cast<std::uint32_t>(next_++);
    fresh_.push_back(value);
    entries_[slot] = {value, number};
    if (++used_ * 2 > entries_.size()) grow();
    return number;
  }

  void grow() {
    if (used_ >= kMost) return clear(kFirstSlots);
    std::vector<Entry> old;
    old.swap(entries_);
    const std::size_t kept = used_;
    clear(old.size() * 2);
    used_ = kept;
    for (const Entry& entry : old)
      if (entry.value != 0) put(entry);
  }

  void put(const Entry& entry) {
    std::size_t slot = slot_of(entry.value);
    while (entries_[slot].value != 0) slot = (slot + 1) & mask_;
    entries_[slot] = entry;
  }

  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
  std::uint64_t next_ = 1;
  std::vector<std::uint64_t> fresh_{0};
};

}  // namespace meridian
