// SPDX-License-Identifier: Apache-2.0
#include "live/wait_for.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

using Kind = WaitedFor::Kind;

/// A pending message or collective, in terms that all ranks share.
struct Wait {
  Kind kind{};
  CallId call{};
  std::int32_t rank = 0;  // the waiting rank, world rank
  std::uint32_t comm = 0;
  std::int32_t peer = 0;  // world rank; kAnySource
  std::int32_t tag = 0;
  std::uint64_t instance = 0;
  std::uint64_t posted_before = 0;
  const Group* peers = nullptr;
  const Group* own = nullptr;
};

bool meet(const Wait& send, const Wait& receive) {
  return (receive.peer == kAnySource || receive.peer == send.rank) &&
         (receive.tag == kAnyTag || receive.tag == send.tag);
}

/// All messages and collectives for which ranks wait in MPI.
class Waits {
 public:
  Waits(const std::vector<RankNow>& ranks, Communicators& communicators) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      for (const auto& birth : communicators.resolvers[i].births()) {
        if (const auto begun = ranks[i].begun.find(birth.handle); begun != ranks[i].begun.end())
          begun_[{ranks[i].meta.rank, birth.comm.comm}] = begun->second;
        const bool is_last_of_handle =
            &birth == &communicators.resolvers[i].births().back() || (&birth)[1].handle != birth.handle;
        if (is_last_of_handle) count_messages(ranks[i], birth.handle, birth.comm);
      }
      if (ranks[i].meta.is_finalized) finalized_.insert(ranks[i].meta.rank);
      for (const ThreadNow& thread : ranks[i].threads)
        for (const WaitedFor& what : thread.waits)
          if (const auto wait = resolve(ranks[i], communicators.resolvers[i], what)) note(*wait);
      for (const WaitedFor& what : ranks[i].posted)
        if (const auto wait = resolve(ranks[i], communicators.resolvers[i], what))
          posted_[{wait->comm, wait->rank}].push_back(*wait);
    }
  }

  static std::optional<Wait> resolve(const RankNow& rank, CommResolver& resolver, const WaitedFor& what) {
    if (what.kind != Kind::send && what.kind != Kind::receive && what.kind != Kind::collective) return std::nullopt;
    const LocalComm* const comm = resolver.at(what.comm, what.ticks);
    if (comm == nullptr) return std::nullopt;
    const std::int32_t peer = what.peer == kAnySource ? kAnySource : comm->world_rank(what.peer);
    return Wait{what.kind, what.call,     rank.meta.rank,     comm->comm,  peer,
                what.tag,  what.instance, what.posted_before, comm->peers, comm->own};
  }

  bool is_about_to_meet(const Wait& wait) const {
    const auto others = [](const auto& list, std::uint32_t comm, std::int32_t rank) -> const std::vector<Wait>& {
      static const std::vector<Wait> kNone;
      const auto found = list.find({comm, rank});
      return found == list.end() ? kNone : found->second;
    };
    if (wait.kind == Kind::send)
      return std::ranges::any_of(others(receives_, wait.comm, wait.peer),
                                 [&](const Wait& other) { return meet(wait, other); }) ||
             is_posted(wait, others(posted_, wait.comm, wait.peer));
    if (wait.kind == Kind::receive && has_message(wait)) return true;
    return wait.kind == Kind::receive && std::ranges::any_of(others(sends_, wait.comm, wait.rank),
                                                             [&](const Wait& other) { return meet(other, wait); });
  }

  /// Members of a collective's communicator that have not entered it.
  std::vector<std::int32_t> missing_from(const Wait& wait) const {
    std::set<std::int32_t> missing;
    for (const Group* group : {wait.own, wait.peers})
      if (group != nullptr)
        for (const std::int32_t member : *group)
          if (member >= 0 && member != wait.rank && !has_come(member, wait)) missing.insert(member);
    return {missing.begin(), missing.end()};
  }

 private:
  void note(const Wait& wait) {
    if (wait.kind == Kind::send) sends_[{wait.comm, wait.peer}].push_back(wait);
    if (wait.kind == Kind::receive) receives_[{wait.comm, wait.rank}].push_back(wait);
    if (wait.kind == Kind::collective) collectives_[{wait.comm, wait.rank}].push_back(wait);
  }

  void count_messages(const RankNow& rank, std::uint64_t handle, const LocalComm& comm) {
    const auto count = [&](const MessageCounts& counts, bool is_sent) {
      const auto found = counts.find(handle);
      if (found == counts.end()) return;
      for (const auto& [peer_and_tag, messages] : found->second) {
        const auto [peer, tag] = peer_and_tag;
        const std::int32_t other = comm.world_rank(peer), own = rank.meta.rank;
        std::int64_t& under_way = under_way_[{comm.comm, is_sent ? other : own, is_sent ? own : other, tag}];
        under_way += is_sent ? static_cast<std::int64_t>(messages) : -static_cast<std::int64_t>(messages);
      }
    };
    count(rank.sent, true);
    count(rank.received, false);
  }

  /// Whether a message for a receive has been sent and not yet been received.
  bool has_message(const Wait& wait) const {
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
    const bool is_from_any = wait.peer == kAnySource;
    std::int64_t messages = 0;
    for (auto at = under_way_.lower_bound({wait.comm, wait.rank, is_from_any ? kLowest : wait.peer, kLowest});
         at != under_way_.end(); ++at) {
      const auto& [comm, receiver, sender, tag] = at->first;
      if (comm != wait.comm || receiver != wait.rank || (!is_from_any && sender != wait.peer)) break;
      if (wait.tag == kAnyTag || tag == wait.tag) messages += std::max<std::int64_t>(at->second, 0);
    }
    return messages > static_cast<std::int64_t>(wait.posted_before);
  }

  /// Whether a receive is left for a send by the messages from its sender that go before it. These messages
  /// include a send that is non-blocking: there must be a receive for each message then.
  bool is_posted(const Wait& send, const std::vector<Wait>& receives) const {
    const auto posted = std::ranges::count_if(receives, [&](const Wait& receive) { return meet(send, receive); });
    const auto found = under_way_.find({send.comm, send.peer, send.rank, send.tag});
    const std::int64_t messages = found == under_way_.end() ? 0 : std::max<std::int64_t>(found->second, 0);
    const bool is_counted = facts_of(send.call).role == Role::isend || facts_of(send.call).role == Role::isendrecv;
    return posted >= std::max<std::int64_t>(messages + (is_counted ? 0 : 1), 1);
  }

  bool has_come(std::int32_t member, const Wait& wait) const {
    if (wait.call == CallId::Finalize && finalized_.contains(member)) return true;
    bool is_in_another = false;
    if (const auto found = collectives_.find({wait.comm, member}); found != collectives_.end())
      for (const Wait& other : found->second) {
        if (other.call == wait.call) return true;
        is_in_another = is_in_another || other.instance == wait.instance;
      }
    const auto begun = begun_.find({member, wait.comm});
    return wait.call != CallId::Finalize && !is_in_another && begun != begun_.end() && begun->second > wait.instance;
  }

  using ByPlace = std::map<std::pair<std::uint32_t, std::int32_t>, std::vector<Wait>>;
  ByPlace sends_;        // by communicator and receiver
  ByPlace receives_;     // by communicator and receiver
  ByPlace posted_;       // the receives that have returned, by the same
  ByPlace collectives_;  // by communicator and member
  std::map<std::pair<std::int32_t, std::uint32_t>, std::uint64_t> begun_;  // (rank, communicator) -> collectives
  /// (communicator, receiver, sender, tag) -> number of messages sent and not received
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::int32_t>, std::int64_t> under_way_;
  std::set<std::int32_t> finalized_;
};

class Builder {
 public:
  Builder(const std::vector<RankNow>& ranks, Communicators& communicators)
      : ranks_{ranks}, communicators_{communicators}, waits_{ranks, communicators} {}

  WhoWaits run(bool is_running) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) take_rank(i, is_running);
    return std::move(result_);
  }

 private:
  void take_rank(std::size_t index, bool is_running) {
    const RankNow& rank = ranks_[index];
    const bool is_in_call =
        std::ranges::any_of(rank.threads, [](const ThreadNow& thread) { return thread.call != CallId::none; });
    if (!rank.is_alive && (is_running || (rank.meta.is_finalized && !is_in_call))) {
      result_.ended.ranks.insert(rank.meta.rank);
      return;
    }
    for (const ThreadNow& thread : rank.threads) {
      const Party who{rank.meta.rank, thread.thread};
      if (!thread.is_alive) {
        result_.ended.threads.insert(who);
        continue;
      }
      ThreadWait wait{who, thread.is_one_enough, helps_others(rank, thread), {}};
      if (is_stuck(index, thread, wait) && !wait.needs.empty())
        result_.waits.push_back(std::move(wait));
      else if (wait.helps_others)
        result_.free.insert(rank.meta.rank);
    }
  }

  /// A thread that has never called MPI is not expected to start during a wait.
  static bool helps_others(const RankNow& rank, const ThreadNow& thread) {
    return thread.has_called_mpi || (rank.is_alive && !thread.is_asleep);
  }

  /// False if the thread may be able to proceed; otherwise fills in the needs of `wait`.
  bool is_stuck(std::size_t index, const ThreadNow& thread, ThreadWait& wait) const {
    bool is_stuck = !thread.waits.empty();
    for (const WaitedFor& what : thread.waits) {
      const auto in_mpi = Waits::resolve(ranks_[index], communicators_.resolvers[index], what);
      if (in_mpi && waits_.is_about_to_meet(*in_mpi)) {
        is_stuck = is_stuck && !wait.is_one_enough;
      } else if (in_mpi && what.kind == Kind::collective) {
        // Every missing member is needed.
        for (const std::int32_t missing : waits_.missing_from(*in_mpi)) wait.needs.push_back({{missing, kAnyThread}});
      } else if (in_mpi) {
        wait.needs.push_back(helpers_of(*in_mpi));
      } else if (what.kind != Kind::thread || !has_ended(ranks_[index], what)) {
        wait.needs.push_back(threads_of(ranks_[index], thread, what));
        if (wait.needs.back().empty()) return false;
      }
    }
    return is_stuck;
  }

  /// Whether a joined thread has ended.
  static bool has_ended(const RankNow& rank, const WaitedFor& what) {
    return std::ranges::any_of(rank.threads, [&](const ThreadNow& thread) {
      return !thread.is_alive && !what.threads.empty() && thread.thread == what.threads.front();
    });
  }

  static std::vector<Party> helpers_of(const Wait& wait) {
    if (wait.peer >= 0) return {{wait.peer, kAnyThread}};
    std::vector<Party> anybody;
    for (const std::int32_t member : *wait.peers)
      if (member >= 0) anybody.push_back({member, kAnyThread});
    return anybody;
  }

  /// Threads of the same process; empty if unknown.
  static std::vector<Party> threads_of(const RankNow& rank, const ThreadNow& waiter, const WaitedFor& what) {
    std::vector<Party> parties;
    if (what.kind == Kind::lock || what.kind == Kind::thread)
      for (const std::uint32_t thread : what.threads) parties.push_back({rank.meta.rank, thread});
    if (what.kind == Kind::others && !what.is_from_outside && !rank.has_others_at_work)
      for (const ThreadNow& other : rank.threads)
        if (other.is_alive && other.thread != waiter.thread) parties.push_back({rank.meta.rank, other.thread});
    return parties;
  }

  const std::vector<RankNow>& ranks_;
  Communicators& communicators_;
  Waits waits_;
  WhoWaits result_;
};

}  // namespace

WhoWaits who_waits(const std::vector<RankNow>& ranks, Communicators& communicators, bool is_running) {
  return Builder{ranks, communicators}.run(is_running);
}

}  // namespace meridian
