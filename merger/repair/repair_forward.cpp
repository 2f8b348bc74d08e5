// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_forward.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "merger/repair/forward_replay.hpp"

namespace meridian {
namespace {

constexpr std::int64_t kShrinkOneIn = 1000;  // a moved stretch may shrink by 1/this of its length

/// The times of one rank, point by point.
class ChainClock {
 public:
  /// Advances to the next point, which the clock puts at `x` and which must not be before `need`.
  std::int64_t advance(std::int64_t x, std::int64_t need) noexcept {
    std::int64_t v = x;
    if (v_ > x_) [[unlikely]]
      v = std::max(x, v_ + shrunk(x - x_));
    v = std::max(v, need);
    if (v == x) spare_ = 0;
    x_ = x;
    v_ = v;
    return v;
  }

 private:
  /// Shortens a length by 1/1000; remainders are carried to the next call. The result of a positive length is never 0.
  std::int64_t shrunk(std::int64_t length) noexcept {
    spare_ += length;
    const std::int64_t loss = std::min(spare_ / kShrinkOneIn, std::max<std::int64_t>(length - 1, 0));
    spare_ -= loss * kShrinkOneIn;
    return length - loss;
  }

  std::int64_t x_ = std::numeric_limits<std::int64_t>::min() / 2;
  std::int64_t v_ = std::numeric_limits<std::int64_t>::min() / 2;
  std::int64_t spare_ = 0;  // length that has not been shortened yet
};

/// The controlled logical clock of each rank.
class RepairPace {
 public:
  explicit RepairPace(std::size_t chains) : clocks_(chains) {}
  std::int64_t enter(std::uint32_t chain, std::uint64_t /*row*/, std::int64_t x) {
    return clocks_[chain].advance(x, std::numeric_limits<std::int64_t>::min());
  }
  std::int64_t leave(std::uint32_t chain, std::uint64_t /*row*/, std::int64_t x, std::int64_t need) {
    return clocks_[chain].advance(x, ns_of(need) + 1);
  }

 private:
  std::vector<ChainClock> clocks_;
};

}  // namespace

Result<ForwardResult> replay_forward(RepairTables& tables) {
  RepairPace pace{tables.chains};
  return Forward{tables, pace}.run();
}

}  // namespace meridian
