// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace meridian {

/// Finds the smallest key of several sorted streams with a winner tree. Equal keys: the lower stream wins.
template <class Key>
class Tournament {
 public:
  /// keys  one per stream, at least one; `last` is larger than every valid key and marks a stream that has ended.
  Tournament(std::vector<Key> keys, Key last) : keys_{std::move(keys)}, last_{last} {
    leaves_ = std::bit_ceil(keys_.size());
    keys_.resize(leaves_, last);
    winner_.resize(leaves_);
    for (std::size_t node = leaves_ - 1; node >= 1; --node) winner_[node] = play(node);
  }

  std::uint32_t top() const noexcept { return leaves_ == 1 ? 0 : winner_[1]; }
  const Key& top_key() const noexcept { return keys_[top()]; }
  bool is_over() const noexcept { return !(top_key() < last_); }

  /// Sets the next key of stream `stream`.
  void update(std::uint32_t stream, const Key& key) noexcept {
    keys_[stream] = key;
    for (std::size_t node = (leaves_ + stream) / 2; node >= 1; node /= 2) winner_[node] = play(node);
  }
  void end(std::uint32_t stream) noexcept { update(stream, last_); }

 private:
  std::uint32_t at(std::size_t node) const noexcept {
    return node >= leaves_ ? static_cast<std::uint32_t>(node - leaves_) : winner_[node];
  }
  std::uint32_t play(std::size_t node) const noexcept {
    const std::uint32_t left = at(2 * node);
    const std::uint32_t right = at(2 * node + 1);
    return keys_[right] < keys_[left] ? right : left;
  }

  std::vector<Key> keys_;
  Key last_;
  std::size_t leaves_ = 1;
  std::vector<std::uint32_t> winner_;  // [node]: the stream that wins below it; node 1 is the root
};

}  // namespace meridian
