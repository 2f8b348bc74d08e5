// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "merger/repair/repair_forward.hpp"
#include "merger/repair/repair_tables.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline constexpr std::uint64_t kPointsInFlight =
    1 << 16;  ///< total distance in points that ranks may run ahead of each other
inline constexpr std::uint64_t kFewestPoints = 64;

/// The position of a thread: point 2e is the enter of its e-th call, 2e + 1 the leave.
struct ForwardCursor {
  std::uint64_t point = 0;
  std::int64_t x = kNever;        // of that point; kNever: at the end
  std::int64_t need = 0;          // stamp that it must follow, from the uses before `use`
  Use use;                        // the first use that has not been examined
  std::uint32_t next_waiter = 0;  // 1 + the stream that waits for the same collective; 0: none
  bool is_listed = false;         // waits for a collective
};

struct ForwardChain {
  std::uint32_t first = 0;  // streams [first, end)
  std::uint32_t end = 0;
  bool is_queued = false;
  bool is_moved = false;
};

/// Goes through the ends of all calls in an order in which each end comes after all that it must follow. The pace gives their
/// times, which go to RepairTables::moved:
///
///   enter(chain, row, x) -> ns         x: the time of the clock
///   leave(chain, row, x, need) -> ns   need: the stamp that it must follow; 0: none
///
/// Ranks are replayed side by side, roughly in the order of time; a rank that has to wait is left until it can proceed.
template <class Pace>
class Forward {
 public:
  Forward(RepairTables& tables, Pace& pace)
      : tables_{tables}, pace_{pace}, cursors_(tables.streams.size()), chains_(tables.chains) {
    for (std::uint32_t s = 0; s < cursors_.size(); ++s) {
      ForwardChain& chain = chains_[tables.streams[s].chain];
      if (chain.end == 0) chain.first = s;
      chain.end = s + 1;
      load(s);
    }
    quantum_ = std::max(kFewestPoints, kPointsInFlight / std::max<std::uint64_t>(chains_.size(), 1));
    for (std::uint32_t c = 0; c < chains_.size(); ++c) queue(c);
  }

  Result<ForwardResult> run() {
    for (;;) {
      while (!ready_.empty()) {
        std::pop_heap(ready_.begin(), ready_.end(), std::greater<>{});
        const std::uint32_t chain = ready_.back().second;
        ready_.pop_back();
        chains_[chain].is_queued = false;
        if (run_chain(chain)) queue(chain);
      }
      const std::uint32_t waiting = first_waiting();
      if (waiting == cursors_.size()) break;
      MERIDIAN_TRY_DO(withdraw(waiting));
    }
    ForwardResult result;
    for (const ForwardChain& chain : chains_) result.is_chain_moved.push_back(chain.is_moved);
    result.withdrawn = withdrawn_;
    return result;
  }

 private:
  /// Loads the point at the cursor.
  void load(std::uint32_t s) {
    ForwardCursor& cursor = cursors_[s];
    const RepairStream& stream = tables_.streams[s];
    const std::uint64_t event = cursor.point / 2;
    if (event >= stream.events) {
      cursor.x = kNever;
      return;
    }
    const TimePair& times = tables_.times[stream.first + event];
    cursor.need = 0;
    if (cursor.point % 2 == 0) {
      cursor.x = times.enter_ns;
    } else {
      cursor.x = times.leave_ns;
      cursor.use = tables_.uses[stream.first + event].at_leave;
    }
  }

  void queue(std::uint32_t c) {
    ForwardChain& chain = chains_[c];
    if (chain.is_queued || chain.first == chain.end) return;
    const auto [s, others] = earliest(chain);
    if (cursors_[s].x == kNever) return;
    chain.is_queued = true;
    ready_.emplace_back(cursors_[s].x, c);
    std::push_heap(ready_.begin(), ready_.end(), std::greater<>{});
  }

  /// The stream with the earliest next point, and the time of the earliest point of the other streams.
  std::pair<std::uint32_t, std::int64_t> earliest(const ForwardChain& chain) const {
    std::uint32_t best = chain.first;
    std::int64_t others = kNever;
    for (std::uint32_t s = chain.first + 1; s < chain.end; ++s) {
      if (cursors_[s].x < cursors_[best].x) {
        others = std::min(others, cursors_[best].x);
        best = s;
      } else {
        others = std::min(others, cursors_[s].x);
      }
    }
    return {best, others};
  }

  /// Replays some points. False: the chain waits or is done.
  bool run_chain(std::uint32_t c) {
    ForwardChain& chain = chains_[c];
    if (count_ >= kRowsBetweenReleases) {
      tables_.release_pages();
      count_ = 0;
    }
    std::uint64_t left = quantum_;
    while (left > 0) {
      const auto [s, others] = earliest(chain);
      if (cursors_[s].x == kNever) return false;
      if (!step(s, chain) && !step_tied(s, chain)) return false;
      --left;
      while (left > 0 && cursors_[s].x < others && step(s, chain)) --left;
    }
    return true;
  }

  /// With coarse stamps a call can seem to end when the call of another thread that it waits for begins. Of points with
  /// equal times, one that can proceed goes first.
  bool step_tied(std::uint32_t blocked, ForwardChain& chain) {
    for (std::uint32_t s = chain.first; s < chain.end; ++s)
      if (s != blocked && cursors_[s].x == cursors_[blocked].x && step(s, chain)) return true;
    return false;
  }

  /// Replays a thread's next point. False: it has to wait, or there is none.
  bool step(std::uint32_t s, ForwardChain& chain) {
    ForwardCursor& cursor = cursors_[s];
    if (cursor.x == kNever) return false;
    const std::uint64_t row = tables_.streams[s].first + cursor.point / 2;
    if (cursor.point % 2 == 0) {
      const std::int64_t v = pace_.enter(tables_.streams[s].chain, row, cursor.x);
      chain.is_moved = chain.is_moved || v != cursor.x;
      tables_.moved[row].enter_ns = v;
      if (const Use use = tables_.uses[row].at_enter) [[unlikely]]
        enter(use, stamp_of(v), tables_.streams[s].chain);
    } else {
      if (cursor.use && !is_ready(s)) return false;
      const std::int64_t v = pace_.leave(tables_.streams[s].chain, row, cursor.x, cursor.need);
      chain.is_moved = chain.is_moved || v != cursor.x;
      tables_.moved[row].leave_ns = v;
      if (const Use use = tables_.uses[row].at_leave) [[unlikely]]
        leave(use, stamp_of(v));
    }
    ++cursor.point;
    ++count_;
    load(s);
    return true;
  }

  /// Collects what the leave of a call has to follow. False: part of it is still missing, and the stream will be woken.
  bool is_ready(std::uint32_t s) {
    ForwardCursor& cursor = cursors_[s];
    while (cursor.use) {
      const std::uint64_t i = cursor.use.index();
      if (cursor.use.role() == Use::receive) {
        MessageNode& node = tables_.messages[i];
        if (node.sent <= 0) {
          node.sent = -1 - std::int64_t{s};
          return false;
        }
        cursor.need = std::max(cursor.need, node.sent);
        cursor.use = node.next_receive;
      } else {
        const PartNode& node = tables_.parts[i];
        const CollectiveTable::Need need = tables_.collectives.need(node.part);
        if (!need.is_known) {
          if (!cursor.is_listed)
            cursor.next_waiter = std::exchange(tables_.collectives.word(node.part.instance), s + 1);
          cursor.is_listed = true;
          return false;
        }
        cursor.need = std::max(cursor.need, need.stamp);
        cursor.use = node.next_leave;
      }
    }
    return true;
  }

  void enter(Use use, std::int64_t stamp, std::uint32_t running) {
    while (use) {
      if (use.role() == Use::send) {
        MessageNode& node = tables_.messages[use.index()];
        const std::int64_t waiter = std::exchange(node.sent, stamp);
        if (waiter < 0) wake(static_cast<std::uint32_t>(-1 - waiter), running);
        use = node.next_send;
      } else {
        PartNode& node = tables_.parts[use.index()];
        if (tables_.collectives.enter(node.part, stamp)) wake_all(node.part.instance, running);
        use = node.next_enter;
      }
    }
  }

  void leave(Use use, std::int64_t stamp) {
    while (use) {
      if (use.role() == Use::receive) {
        MessageNode& node = tables_.messages[use.index()];
        node.received = stamp;
        use = node.next_receive;
      } else {
        const PartNode& node = tables_.parts[use.index()];
        if (tables_.collectives.is_sink(node.part)) tables_.collectives.leave(node.part, stamp);
        use = node.next_leave;
      }
    }
  }

  void wake(std::uint32_t s, std::uint32_t running) {
    if (tables_.streams[s].chain != running) queue(tables_.streams[s].chain);
  }

  void wake_all(std::uint64_t instance, std::uint32_t running) {
    std::uint32_t waiter = std::exchange(tables_.collectives.word(instance), 0);
    while (waiter != 0) {
      ForwardCursor& cursor = cursors_[waiter - 1];
      cursor.is_listed = false;
      wake(waiter - 1, running);
      waiter = std::exchange(cursor.next_waiter, 0);
    }
  }

  /// The stream to release when none is ready: the earliest that waits for a collective, if there is one.
  std::uint32_t first_waiting() const {
    std::uint32_t best = static_cast<std::uint32_t>(cursors_.size());
    for (std::uint32_t s = 0; s < cursors_.size(); ++s) {
      if (cursors_[s].x == kNever || cursors_[s].point % 2 == 0 || !cursors_[s].use) continue;
      if (best == cursors_.size() || is_better(cursors_[s], cursors_[best])) best = s;
    }
    return best;
  }

  static bool is_better(const ForwardCursor& a, const ForwardCursor& b) {
    return a.is_listed != b.is_listed ? a.is_listed : a.x < b.x;
  }

  Status withdraw(std::uint32_t s) {
    const ForwardCursor& cursor = cursors_[s];
    const RepairStream& stream = tables_.streams[s];
    if (!cursor.is_listed)
      return Error{Errc::damaged,
                   "cannot order the messages: they wait for each other in a circle, first in call " +
                       std::to_string(cursor.point / 2) + " of rank " + std::to_string(stream.rank) + ", thread " +
                       std::to_string(stream.thread),
                   "calls are missing from the trace, so that messages are paired wrongly: see the findings"};
    const std::uint64_t instance = tables_.parts[cursor.use.index()].part.instance;
    tables_.collectives.withdraw(instance);
    ++withdrawn_;
    wake_all(instance, UINT32_MAX);
    return {};
  }

  RepairTables& tables_;
  Pace& pace_;
  std::vector<ForwardCursor> cursors_;  // [streams]
  std::vector<ForwardChain> chains_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ready_;  // heap: time of the next point, chain
  std::uint64_t quantum_ = 0;
  std::uint64_t count_ = 0;  // points since pages were last released
  std::uint64_t withdrawn_ = 0;
};

}  // namespace meridian
