// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace meridian {

/// A queue whose elements can be accessed by their distance from the front. Takes no memory until it is used, and never
/// releases it.
template <class T>
class RingQueue {
 public:
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t place) noexcept { return slots_[(head_ + place) & (slots_.size() - 1)]; }
  const T& operator[](std::size_t place) const noexcept { return slots_[(head_ + place) & (slots_.size() - 1)]; }
  T& front() noexcept { return slots_[head_]; }

  void push_back(const T& value) {
    if (size_ == slots_.size()) [[unlikely]]
      grow();
    slots_[(head_ + size_) & (slots_.size() - 1)] = value;
    ++size_;
  }
  void pop_front() noexcept {
    head_ = (head_ + 1) & (slots_.size() - 1);
    --size_;
  }
  void pop_back() noexcept { --size_; }
  /// Elements after it move up.
  void erase(std::size_t place) noexcept {
    for (std::size_t at = place; at + 1 < size_; ++at) (*this)[at] = std::move((*this)[at + 1]);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 2 : slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> slots_;  // a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace meridian
