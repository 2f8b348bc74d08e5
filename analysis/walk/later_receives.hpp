// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "analysis/walk/number_table.hpp"

namespace meridian {

/// The earliest sends of the messages that a rank receives after some call. Calls are added from the last to the first.
class LaterReceives {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  void add(std::int32_t rank, std::int32_t source, std::int64_t sent_ns) {
    Sent& of_source = by_source_[key(rank, source)];
    of_source.ns = std::min(of_source.ns, sent_ns);
    Earliest& earliest = by_rank_[rank];
    if (source == earliest.source || sent_ns >= earliest.ns) {
      std::int64_t& ns = source == earliest.source ? earliest.ns : earliest.other_ns;
      ns = std::min(ns, sent_ns);
    } else {
      earliest = {source, sent_ns, earliest.ns};
    }
  }
  /// When the first of the messages from this source was sent.
  std::int64_t from(std::int32_t rank, std::int32_t source) const {
    const Sent* const found = by_source_.find(key(rank, source));
    return found == nullptr ? kNever : found->ns;
  }
  /// When the first of those from other sources was sent.
  std::int64_t from_others(std::int32_t rank, std::int32_t source) const {
    const auto found = by_rank_.find(rank);
    if (found == by_rank_.end()) return kNever;
    return found->second.source == source ? found->second.other_ns : found->second.ns;
  }

 private:
  struct Sent {
    std::int64_t ns = kNever;
  };
  struct Earliest {
    std::int32_t source = -1;
    std::int64_t ns = kNever;        // from that source
    std::int64_t other_ns = kNever;  // from all others
  };
  static std::uint64_t key(std::int32_t rank, std::int32_t source) {
    return std::uint64_t{static_cast<std::uint32_t>(rank)} << 32 | static_cast<std::uint32_t>(source);
  }
  NumberTable<Sent> by_source_;
  std::unordered_map<std::int32_t, Earliest> by_rank_;
};

}  // namespace meridian
