#include "cli/where/wait_for.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace meridian {
namespace {

using Kind = WaitedFor::Kind;
constexpr std::int32_t kNobody = -1;

/// A thing that is waited for, as all ranks would name it.
struct Wait {
  Kind kind{};
  CallId call{};
  std::int32_t rank = 0;  // who waits, world rank
  std::uint32_t comm = 0;
  std::int32_t peer = 0;  // world rank; kAnySource
  std::int32_t tag = 0;
  const Group* peers = nullptr;
  const Group* own = nullptr;
};

bool meet(const Wait& send, const Wait& receive) {
  return send.kind == Kind::send && receive.kind == Kind::receive && send.comm == receive.comm &&
         send.peer == receive.rank && (receive.peer == kAnySource || receive.peer == send.rank) &&
         (receive.tag == kAnyTag || receive.tag == send.tag);
}

class Waits {
 public:
  Waits(const std::vector<RankNow>& ranks, Communicators& communicators) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      for (std::size_t t = 0; t < ranks[i].threads.size(); ++t)
        for (const WaitedFor& what : ranks[i].threads[t].waits)
          if (const auto* comm = communicators.resolvers[i].at(what.comm, what.ticks)) {
            const std::int32_t peer = what.peer == kAnySource ? kAnySource : comm->world_rank(what.peer);
            all_[{i, t}].push_back(
                {what.kind, what.call, ranks[i].meta.rank, comm->comm, peer, what.tag, comm->peers, comm->own});
          }
  }

  const std::vector<Wait>& of(std::size_t rank, std::size_t thread) const {
    static const std::vector<Wait> kNone;
    const auto found = all_.find({rank, thread});
    return found == all_.end() ? kNone : found->second;
  }

  bool is_about_to_meet(const Wait& wait) const {
    for (const auto& [where, others] : all_)
      for (const Wait& other : others)
        if (meet(wait, other) || meet(other, wait)) return true;
    return false;
  }

  /// Members of a collective's communicator that are not in it.
  std::vector<std::int32_t> missing_from(const Wait& wait) const {
    std::set<std::int32_t> missing;
    for (const Group* group : {wait.own, wait.peers})
      if (group != nullptr)
        for (const std::int32_t member : *group)
          if (member >= 0 && member != wait.rank) missing.insert(member);
    for (const auto& [where, others] : all_)
      for (const Wait& other : others)
        if (other.kind == Kind::collective && other.comm == wait.comm && other.call == wait.call)
          missing.erase(other.rank);
    return {missing.begin(), missing.end()};
  }

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Wait>> all_;
};

std::vector<std::int32_t> ranks_that_can_help(const Waits& waits, const Wait& wait) {
  if (wait.kind == Kind::collective) return waits.missing_from(wait);
  if (wait.peer >= 0) return {wait.peer};
  std::vector<std::int32_t> anybody;
  for (const std::int32_t member : *wait.peers)
    if (member >= 0) anybody.push_back(member);
  return anybody;
}

}  // namespace

std::vector<RankWait> waits_of(const std::vector<RankNow>& ranks, Communicators& communicators) {
  const Waits waits{ranks, communicators};
  std::vector<RankWait> result;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto& threads = ranks[i].threads;
    const bool can_act =
        std::ranges::any_of(threads, [](const ThreadNow& thread) { return thread.is_alive && thread.waits.empty(); });
    if (can_act) continue;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if (!threads[t].is_alive) continue;
      RankWait wait{ranks[i].meta.rank, threads[t].thread, threads[t].is_one_enough, {}};
      bool is_stuck = !waits.of(i, t).empty();
      for (const Wait& what : waits.of(i, t)) {
        if (waits.is_about_to_meet(what)) {
          is_stuck = is_stuck && !wait.is_one_enough;
          continue;
        }
        if (what.kind == Kind::collective) {
          // All who are missing are needed, each by itself.
          for (const std::int32_t missing : waits.missing_from(what)) wait.needs.push_back({missing});
        } else {
          wait.needs.push_back(ranks_that_can_help(waits, what));
        }
      }
      if (is_stuck && !wait.needs.empty()) result.push_back(std::move(wait));
    }
  }
  return result;
}

Deadlock find_deadlock(const std::vector<RankWait>& waits, const std::set<std::int32_t>& ended) {
  std::map<std::int32_t, std::vector<const RankWait*>> stuck;
  for (const RankWait& wait : waits) stuck[wait.rank].push_back(&wait);
  const auto can_go_on = [&](const RankWait& wait) {
    const auto is_met = [&](const std::vector<std::int32_t>& helpers) {
      return std::ranges::any_of(helpers,
                                 [&](std::int32_t rank) { return !stuck.contains(rank) && !ended.contains(rank); });
    };
    return wait.is_one_enough ? std::ranges::any_of(wait.needs, is_met) : std::ranges::all_of(wait.needs, is_met);
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (auto at = stuck.begin(); at != stuck.end();) {
      const bool is_free = std::ranges::any_of(at->second, [&](const RankWait* wait) { return can_go_on(*wait); });
      has_changed = has_changed || is_free;
      at = is_free ? stuck.erase(at) : std::next(at);
    }
  }
  Deadlock deadlock;
  if (stuck.empty()) return deadlock;
  for (const auto& [rank, wait] : stuck) deadlock.ranks.push_back(rank);
  // Each stuck rank needs somebody who is stuck or through: follow the stuck ones until one comes again.
  const auto next = [&](std::int32_t rank) {
    for (const RankWait* wait : stuck.at(rank))
      for (const auto& helpers : wait->needs)
        for (const std::int32_t helper : helpers) {
          if (ended.contains(helper) && std::ranges::find(deadlock.ended, helper) == deadlock.ended.end())
            deadlock.ended.push_back(helper);
          if (stuck.contains(helper)) return helper;
        }
    return kNobody;
  };
  std::vector<std::int32_t> path{deadlock.ranks.front()};
  for (;;) {
    const std::int32_t following = next(path.back());
    if (following == kNobody) return deadlock;
    const auto seen = std::ranges::find(path, following);
    if (seen != path.end()) {
      deadlock.cycle.assign(seen, path.end());
      return deadlock;
    }
    path.push_back(following);
  }
}

}  // namespace meridian
