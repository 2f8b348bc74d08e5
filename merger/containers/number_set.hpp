#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace meridian {

/// A set of numbers that mostly are small ones; damaged files have any.
class NumberSet {
 public:
  void insert(std::uint32_t number) {
    if (number >= kSmall) [[unlikely]] {
      large_.insert(number);
      return;
    }
    if (number >= has_.size()) [[unlikely]]
      has_.resize(number + 1);
    has_[number] = true;
  }
  std::size_t size() const { return static_cast<std::size_t>(std::ranges::count(has_, true)) + large_.size(); }

 private:
  static constexpr std::uint32_t kSmall = 1 << 16;
  std::vector<bool> has_;
  std::set<std::uint32_t> large_;
};

}  // namespace meridian
