// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/give_way.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace meridian {
namespace {

constexpr int kRounds = 3;  // ranks without bounds that a deadline passes through

/// The stretches of a domain's time that have no bound, ascending.
class Unbound {
 public:
  explicit Unbound(const std::vector<ClockBoundKnot>& knots) {
    if (knots.empty()) stretches_.emplace_back(-kNever, kNever);
    for (std::size_t k = 0; k < knots.size(); ++k) {
      if (knots[k].is_certified) continue;
      const std::int64_t begin = k == 0 ? -kNever : knots[k - 1].time_ns;
      const std::int64_t end = k + 1 == knots.size() ? kNever : knots[k + 1].time_ns;
      if (stretches_.empty() || begin > stretches_.back().second)
        stretches_.emplace_back(begin, end);
      else
        stretches_.back().second = std::max(stretches_.back().second, end);
    }
  }
  bool is_empty() const { return stretches_.empty(); }
  bool contains(std::int64_t ns) const {
    const auto after = std::ranges::upper_bound(stretches_, ns, {}, &std::pair<std::int64_t, std::int64_t>::first);
    return after != stretches_.begin() && ns < std::prev(after)->second;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches_;
};

/// Walks a thread's points backwards: point 2e is the enter of its e-th call, 2e + 1 the leave.
struct Cursor {
  std::uint64_t first = 0;
  std::uint64_t left = 0;  // points, the one at the cursor included
  std::int64_t x = 0;
};

class GivingWay {
 public:
  GivingWay(RepairTables& tables, const Clocks& clocks) : tables_{tables}, clocks_{clocks} {
    for (const auto& knots : clocks.bounds.domains) unbound_.emplace_back(knots);
  }

  Result<std::uint64_t> run(const std::filesystem::path& scratch) {
    if (std::ranges::all_of(unbound_, &Unbound::is_empty)) return std::uint64_t{0};
    std::uint64_t instances = 0;
    for (std::uint64_t i = 0; i < tables_.parts.size(); ++i)
      instances = std::max(instances, tables_.parts[i].part.instance + 1);
    MERIDIAN_TRY(last_enters_, MappedArray<std::int64_t>::create(scratch, instances));
    MERIDIAN_TRY(first_exits_, MappedArray<std::int64_t>::create(scratch, instances));
    for (const RepairStream& stream : tables_.streams) note_bound(stream);
    for (int round = 0; round <= kRounds; ++round)
      for_each_unbound_chain([&](std::uint32_t begin, std::uint32_t end) { walk(begin, end, round == kRounds); });
    for (const RepairStream& stream : tables_.streams) keep_order(stream);
    for (std::uint64_t i = 0; i < tables_.messages.size(); ++i)  // replay_forward() begins without stamps
      tables_.messages[i].sent = tables_.messages[i].received = 0;
    tables_.release_pages();
    return moved_;
  }

 private:
  const Unbound& unbound_of(std::uint32_t chain) const { return unbound_[clocks_.domain_of[chain]]; }

  template <class Visit>
  void for_each_unbound_chain(Visit&& visit) const {
    const auto streams = static_cast<std::uint32_t>(tables_.streams.size());
    for (std::uint32_t begin = 0; begin < streams;) {
      const std::uint32_t chain = tables_.streams[begin].chain;
      std::uint32_t end = begin;
      while (end < streams && tables_.streams[end].chain == chain) ++end;
      if (!unbound_of(chain).is_empty()) visit(begin, end);
      begin = end;
    }
  }

  /// Stores the times of a thread's events that have bounds with their messages and collectives.
  void note_bound(const RepairStream& stream) {
    const Unbound& unbound = unbound_of(stream.chain);
    for (std::uint64_t row = stream.first; row < stream.first + stream.events; ++row) {
      const TimePair& at = tables_.times[row];
      if (tables_.uses[row].at_enter && !unbound.contains(at.enter_ns))
        note_enter(tables_.uses[row].at_enter, at.enter_ns);
      if (tables_.uses[row].at_leave && !unbound.contains(at.leave_ns))
        note_leave(tables_.uses[row].at_leave, at.leave_ns);
      if (row % kRowsBetweenReleases == 0) tables_.release_pages();
    }
  }

  void note_enter(Use use, std::int64_t ns) {
    while (use) {
      if (use.role() == Use::send) {
        MessageNode& node = tables_.messages[use.index()];
        node.sent = stamp_of(ns);
        use = node.next_send;
      } else {
        const PartNode& node = tables_.parts[use.index()];
        std::int64_t& last = last_enters_[node.part.instance];
        if (tables_.collectives.is_source(node.part)) last = std::max(last, stamp_of(ns));
        use = node.next_enter;
      }
    }
  }

  /// ns  no later than this
  void note_leave(Use use, std::int64_t ns) {
    const auto lower = [&](std::int64_t& stamp) { stamp = stamp == 0 ? stamp_of(ns) : std::min(stamp, stamp_of(ns)); };
    while (use) {
      if (use.role() == Use::receive) {
        MessageNode& node = tables_.messages[use.index()];
        lower(node.received);
        use = node.next_receive;
      } else {
        const PartNode& node = tables_.parts[use.index()];
        if (tables_.collectives.is_sink(node.part)) lower(first_exits_[node.part.instance]);
        use = node.next_leave;
      }
    }
  }

  /// The latest time of an enter with these uses.
  std::int64_t deadline_of(Use use) const {
    std::int64_t last = kNever;
    const auto lower = [&](std::int64_t stamp) {
      if (stamp != 0) last = std::min(last, ns_of(stamp) - 1);
    };
    while (use) {
      if (use.role() == Use::send) {
        lower(tables_.messages[use.index()].received);
        use = tables_.messages[use.index()].next_send;
      } else {
        const PartNode& node = tables_.parts[use.index()];
        if (tables_.collectives.is_source(node.part)) lower(first_exits_[node.part.instance]);
        use = node.next_enter;
      }
    }
    return last;
  }

  /// The earliest time of a leave with these uses.
  std::int64_t need_of(Use use) const {
    std::int64_t first = -kNever;
    const auto raise = [&](std::int64_t stamp) {
      if (stamp != 0) first = std::max(first, ns_of(stamp) + 1);
    };
    while (use) {
      if (use.role() == Use::receive) {
        raise(tables_.messages[use.index()].sent);
        use = tables_.messages[use.index()].next_receive;
      } else {
        const PartNode& node = tables_.parts[use.index()];
        if (tables_.collectives.is_sink(node.part)) raise(last_enters_[node.part.instance]);
        use = node.next_leave;
      }
    }
    return first;
  }

  void load(Cursor& cursor) const {
    const std::uint64_t point = cursor.left - 1;
    const TimePair& at = tables_.times[cursor.first + point / 2];
    cursor.x = point % 2 == 0 ? at.enter_ns : at.leave_ns;
  }

  /// Goes back through the events of a rank, threads [begin, end). Passes deadlines on, or moves events.
  void walk(std::uint32_t begin, std::uint32_t end, bool moves) {
    const Unbound& unbound = unbound_of(tables_.streams[begin].chain);
    std::vector<Cursor> cursors;
    for (std::uint32_t s = begin; s < end; ++s) {
      const RepairStream& stream = tables_.streams[s];
      if (stream.events == 0) continue;
      cursors.push_back({stream.first, 2 * stream.events, 0});
      load(cursors.back());
    }
    std::int64_t deadline = kNever, shift = 0, x_after = kNever;
    for (std::uint64_t count = 0; !cursors.empty(); ++count) {
      const auto latest = std::ranges::max_element(cursors, {}, &Cursor::x);
      const std::uint64_t row = latest->first + (latest->left - 1) / 2;
      const bool is_enter = latest->left % 2 == 1;
      if (const std::int64_t x = latest->x; !unbound.contains(x)) {
        deadline = x;
        shift = 0;
      } else {
        const EventUses& uses = tables_.uses[row];
        if (deadline != kNever && x < x_after) --deadline;  // an event at an earlier time stays earlier
        if (is_enter) deadline = std::min(deadline, deadline_of(uses.at_enter));
        if (!is_enter && !moves && deadline != kNever) note_leave(uses.at_leave, deadline);
        if (moves) {
          std::int64_t to = x - shift;
          if (!is_enter) to = std::max(to, std::min(x, need_of(uses.at_leave)));
          to = std::min(to, deadline);
          shift = x - to;
          std::int64_t& time = is_enter ? tables_.times[row].enter_ns : tables_.times[row].leave_ns;
          time = to;
          if (deadline != kNever)
            (is_enter ? tables_.moved[row].enter_ns : tables_.moved[row].leave_ns) = stamp_of(deadline);
          if (shift > 0 && is_enter) ++moved_;
        }
      }
      x_after = latest->x;
      if (--latest->left == 0)
        cursors.erase(latest);
      else
        load(*latest);
      if (count % kRowsBetweenReleases == 0) tables_.release_pages();
    }
  }

  /// Events that gave way further than an event with a bound before them stay behind it.
  void keep_order(const RepairStream& stream) {
    std::int64_t before = -kNever;
    for (std::uint64_t row = stream.first; row < stream.first + stream.events; ++row) {
      TimePair& at = tables_.times[row];
      at.enter_ns = std::max(at.enter_ns, before);
      at.leave_ns = before = std::max(at.leave_ns, at.enter_ns);
    }
  }

  RepairTables& tables_;
  const Clocks& clocks_;
  std::vector<Unbound> unbound_;           // [domains]
  MappedArray<std::int64_t> last_enters_;  // [instance]: stamp of the last enter with a bound; 0: none
  MappedArray<std::int64_t> first_exits_;  // [instance]: stamp of the first deadline of an exit; 0: none
  std::uint64_t moved_ = 0;
};

}  // namespace

Result<std::uint64_t> give_way(RepairTables& tables, const Clocks& clocks, const std::filesystem::path& scratch) {
  if (clocks.bounds.domains.empty()) return std::uint64_t{0};
  for (const RepairStream& stream : tables.streams)
    if (stream.chain >= clocks.domain_of.size() || clocks.domain_of[stream.chain] >= clocks.bounds.domains.size())
      return std::uint64_t{0};
  return GivingWay{tables, clocks}.run(scratch);
}

}  // namespace meridian
