// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace meridian {

inline constexpr std::uint32_t kUnknownNumber = UINT32_MAX;

/// Numbers of keys that were looked up lately. Programs repeat themselves, so that most lookups in a table of keys need not
/// be made.
template <class Key, class Hash>
class RecentNumbers {
 public:
  /// The number of the key; otherwise kUnknownNumber, and the caller fills it in.
  std::uint32_t& of(const Key& key) {
    Entry& entry = entries_[Hash{}(key) % entries_.size()];
    if (entry.key != key) entry = {key, kUnknownNumber};
    return entry.number;
  }

 private:
  struct Entry {
    Key key{};
    std::uint32_t number = kUnknownNumber;
  };
  std::array<Entry, 256> entries_{};
};

}  // namespace meridian
