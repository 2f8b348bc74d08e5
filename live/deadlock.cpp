// SPDX-License-Identifier: Apache-2.0
#include "live/deadlock.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace meridian {
namespace {

class Search {
 public:
  Search(const std::vector<ThreadWait>& waits, const std::set<std::int32_t>& free, const Ended& ended)
      : free_{free}, ended_{ended} {
    for (const ThreadWait& wait : waits) stuck_[wait.who] = &wait;
    for (const ThreadWait& wait : waits)
      if (wait.helps_others) helpers_[wait.who.rank].insert(wait.who);
  }

  Deadlock run() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (auto at = stuck_.begin(); at != stuck_.end();) {
        const bool is_free = can_go_on(*at->second);
        has_changed = has_changed || is_free;
        if (is_free && at->second->helps_others) free_.insert(at->first.rank);
        at = is_free ? stuck_.erase(at) : std::next(at);
      }
    }
    Deadlock deadlock;
    if (stuck_.empty()) return deadlock;
    for (const auto& [who, wait] : stuck_) {
      deadlock.threads.push_back(who);
      if (deadlock.ranks.empty() || deadlock.ranks.back() != who.rank) deadlock.ranks.push_back(who.rank);
    }
    find_cycle(deadlock);
    return deadlock;
  }

 private:
  bool can_act(const Party& party) const {
    if (ended_.ranks.contains(party.rank) || ended_.threads.contains(party)) return false;
    if (party.thread != kAnyThread) return !stuck_.contains(party);
    return free_.contains(party.rank) || !helpers_.contains(party.rank);
  }
  bool is_met(const std::vector<Party>& helpers) const {
    return std::ranges::any_of(helpers, [&](const Party& party) { return can_act(party); });
  }
  bool can_go_on(const ThreadWait& wait) const {
    const auto met = [&](const std::vector<Party>& helpers) { return is_met(helpers); };
    return wait.is_one_enough ? std::ranges::any_of(wait.needs, met) : std::ranges::all_of(wait.needs, met);
  }

  /// The stuck thread that acts for a party, if there is one.
  std::optional<Party> stuck_thread(const Party& party) const {
    if (party.thread != kAnyThread) return stuck_.contains(party) ? std::optional{party} : std::nullopt;
    const auto threads = helpers_.find(party.rank);
    if (threads == helpers_.end() || threads->second.empty()) return std::nullopt;
    return *threads->second.begin();
  }

  /// A stuck thread that `who` needs, itself only if there is no other, as with MPI_ANY_SOURCE; nullopt if it needs only parties that
  /// have ended, which are added to `ended`.
  std::optional<Party> next(const Party& who, std::vector<Party>& ended) const {
    std::optional<Party> itself;
    for (const auto& helpers : stuck_.at(who)->needs) {
      if (is_met(helpers)) continue;
      for (const Party& helper : helpers) {
        if ((ended_.ranks.contains(helper.rank) || ended_.threads.contains(helper)) &&
            std::ranges::find(ended, helper) == ended.end())
          ended.push_back(helper);
        const std::optional<Party> stuck = stuck_thread(helper);
        if (stuck && *stuck != who) return stuck;
        if (stuck) itself = stuck;
      }
    }
    return itself;
  }

  /// Each stuck thread needs a party that is stuck or has ended: follows the stuck ones until one repeats.
  void find_cycle(Deadlock& deadlock) const {
    std::vector<Party> path{deadlock.threads.front()};
    for (;;) {
      const auto following = next(path.back(), deadlock.ended);
      if (!following) return;
      const auto seen = std::ranges::find(path, *following);
      if (seen != path.end()) {
        deadlock.cycle.assign(seen, path.end());
        return;
      }
      path.push_back(*following);
    }
  }

  std::map<Party, const ThreadWait*> stuck_;
  std::map<std::int32_t, std::set<Party>> helpers_;  // waiting threads by rank
  std::set<std::int32_t> free_;
  const Ended& ended_;
};

}  // namespace

Deadlock find_deadlock(const std::vector<ThreadWait>& waits, const std::set<std::int32_t>& free, const Ended& ended) {
  return Search{waits, free, ended}.run();
}

}  // namespace meridian
