// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_backward.hpp"

#include <algorithm>
#include <limits>

#include "merger/repair/time_limits.hpp"

namespace meridian {
namespace {

constexpr std::int64_t kGrowOneIn = 100;  // a stretch before a jump may grow by 1/this of its length

/// Walks a thread's points backwards. `left` counts the remaining points, the one at the cursor included.
struct BackwardCursor {
  std::uint64_t first = 0;
  std::uint64_t left = 0;
  std::int64_t x = 0;
  std::int64_t v = 0;
};

class Backward {
 public:
  Backward(RepairTables& tables, const Clocks& clocks) : tables_{tables}, clocks_{clocks} {}

  void run(std::uint32_t begin, std::uint32_t end) {
    cursors_.clear();
    for (std::uint32_t s = begin; s < end; ++s) {
      const RepairStream& stream = tables_.streams[s];
      if (stream.events == 0) continue;
      cursors_.push_back({stream.first, 2 * stream.events, 0, 0});
      load(cursors_.back());
    }
    move_ = spare_ = 0;
    chain_ = tables_.streams[begin].chain;
    x_ = std::numeric_limits<std::int64_t>::max() / 2;
    while (!cursors_.empty()) {
      // This is the order of replay_forward() backwards: v never decreased, and stayed the same only where x did.
      const auto latest = std::max_element(cursors_.begin(), cursors_.end(),
                                           [](const BackwardCursor& a, const BackwardCursor& b) { return a.v < b.v; });
      step(*latest);
      if (--latest->left == 0)
        cursors_.erase(latest);
      else
        load(*latest);
      if (++count_ % kRowsBetweenReleases == 0) tables_.release_pages();
    }
  }

 private:
  void load(BackwardCursor& cursor) const {
    const std::uint64_t point = cursor.left - 1;
    const std::uint64_t row = cursor.first + point / 2;
    cursor.x = point % 2 == 0 ? tables_.times[row].enter_ns : tables_.times[row].leave_ns;
    cursor.v = point % 2 == 0 ? tables_.moved[row].enter_ns : tables_.moved[row].leave_ns;
  }

  void step(const BackwardCursor& cursor) {
    const std::int64_t forward = cursor.v - cursor.x;
    std::int64_t move = ramp_to(cursor.x);
    const std::uint64_t point = cursor.left - 1;
    const std::uint64_t row = cursor.first + point / 2;
    if (move > forward && point % 2 == 0) {
      const std::int64_t last = last_moment(tables_.uses[row].at_enter);
      if (last != kNever) move = std::min(move, last - cursor.x);
    }
    if (move > forward) {
      const std::int64_t latest = latest_time(clocks_, chain_, cursor.x);
      if (latest != kNever) move = std::min(move, latest - cursor.x);
    }
    if (move <= forward) {
      move = forward;
      spare_ = 0;
    } else {
      TimePair& moved = tables_.moved[row];
      (point % 2 == 0 ? moved.enter_ns : moved.leave_ns) = cursor.x + move;
    }
    move_ = move;
    x_ = cursor.x;
  }

  /// The move of a point at `x` that the jumps after it require.
  std::int64_t ramp_to(std::int64_t x) {
    if (move_ == 0) return 0;
    spare_ += x_ - x;
    const std::int64_t loss = spare_ / kGrowOneIn;
    spare_ %= kGrowOneIn;
    return std::max<std::int64_t>(move_ - loss, 0);
  }

  /// The latest permitted time of an enter with these uses.
  std::int64_t last_moment(Use use) const {
    std::int64_t last = kNever;
    while (use) {
      if (use.role() == Use::send) {
        const MessageNode& node = tables_.messages[use.index()];
        last = std::min(last, ns_of(node.received) - 1);
        use = node.next_send;
      } else {
        const PartNode& node = tables_.parts[use.index()];
        if (const std::int64_t exit = tables_.collectives.first_exit(node.part); exit != 0)
          last = std::min(last, ns_of(exit) - 1);
        use = node.next_enter;
      }
    }
    return last;
  }

  RepairTables& tables_;
  const Clocks& clocks_;
  std::uint32_t chain_ = 0;
  std::vector<BackwardCursor> cursors_;
  std::int64_t x_ = 0;      // of the following point
  std::int64_t move_ = 0;   // of the following point
  std::int64_t spare_ = 0;  // time that has not lowered the move yet
  std::uint64_t count_ = 0;
};

}  // namespace

void ramp_backward(RepairTables& tables, const Clocks& clocks, const std::vector<bool>& is_chain_moved) {
  Backward backward{tables, clocks};
  const auto streams = static_cast<std::uint32_t>(tables.streams.size());
  for (std::uint32_t begin = 0; begin < streams;) {
    const std::uint32_t chain = tables.streams[begin].chain;
    std::uint32_t end = begin;
    while (end < streams && tables.streams[end].chain == chain) ++end;
    if (is_chain_moved[chain]) backward.run(begin, end);
    begin = end;
  }
}

}  // namespace meridian
