// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_forward.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "merger/repair/forward_replay.hpp"
#include "merger/repair/time_limits.hpp"

namespace meridian {
namespace {

constexpr std::int64_t kShrinkOneIn = 1000;  // a moved stretch may shrink by 1/this of its length

/// The times of one rank, point by point.
class ChainClock {
 public:
  /// Advances to the next point, which the clock puts at `x` and which must not be before `need`. latest(x) is the
  /// latest time that it can have had, as far as known.
  /// passed(a, b) is the time from a to b without steps of the clock.
  template <class Latest, class Passed>
  std::int64_t advance(std::int64_t x, std::int64_t need, Latest&& latest, Passed&& passed) noexcept {
    std::int64_t v = x;
    if (v_ > x_) [[unlikely]] {
      v = std::max(x, v_ + shrunk(passed(x_, x)));
      if (v > x) v = std::max({x, std::min(v, latest(x)), x > x_ ? v_ + 1 : v_});
    }
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
  RepairPace(const RepairTables& tables, const Clocks& clocks)
      : tables_{tables}, clocks_{clocks}, chains_(tables.chains) {}
  std::int64_t enter(std::uint32_t chain, std::uint64_t row, std::int64_t x) {
    return advance(chain, x, std::numeric_limits<std::int64_t>::min(), tables_.moved[row].enter_ns);
  }
  std::int64_t leave(std::uint32_t chain, std::uint64_t row, std::int64_t x, std::int64_t need) {
    return advance(chain, x, ns_of(need) + 1, tables_.moved[row].leave_ns);
  }

 private:
  std::int64_t advance(std::uint32_t chain, std::int64_t x, std::int64_t need, std::int64_t deadline) {
    return chains_[chain].advance(
        x, need,
        [&](std::int64_t at_ns) {
          const std::int64_t latest = latest_time(clocks_, chain, at_ns);
          return deadline == 0 ? latest : std::min(latest, ns_of(deadline));
        },
        [&](std::int64_t from_ns, std::int64_t to_ns) { return passed_between(clocks_, chain, from_ns, to_ns); });
  }

  const RepairTables& tables_;
  const Clocks& clocks_;
  std::vector<ChainClock> chains_;
};

}  // namespace

Result<ForwardResult> replay_forward(RepairTables& tables, const Clocks& clocks) {
  RepairPace pace{tables, clocks};
  return Forward{tables, pace}.run();
}

}  // namespace meridian
