#include "cli/where/where_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/units.hpp"

namespace meridian {
namespace {

using Kind = WaitedFor::Kind;

/// A thing that is waited for, in words that ranks share: peers as ranks of MPI_COMM_WORLD.
struct Facts {
  Kind kind{};
  CallId call{};
  std::string comm;
  std::int32_t peer = 0;  // world rank; kAnySource
  std::int32_t tag = 0;
};

Facts facts_of(WhereReport& report, std::size_t rank, const WaitedFor& what) {
  Facts facts{what.kind, what.call, "?", what.peer, what.tag};
  if (const LocalComm* comm = report.communicators.resolvers[rank].at(what.comm, what.ticks)) {
    const Communicator& known = report.communicators.list[comm->comm];
    facts.comm = known.name.empty() ? fmt::format("communicator {}", comm->comm) : known.name;
    if (what.peer >= 0) facts.peer = comm->world_rank(what.peer);
  }
  return facts;
}

/// "0-2,5" of ascending numbers.
std::string ranges(const std::vector<std::int32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ranks[i]);
    if (end > i) text += fmt::format("{}{}", end == i + 1 ? "," : "-", ranks[end]);
    i = end + 1;
  }
  return text;
}

struct Group {
  std::vector<std::int32_t> ranks;
  std::vector<std::int32_t> peers;  // one for each rank, of what is waited for first
  double since_s = 0;               // longest
};

std::string peers_of(const Group& group) {
  const auto is_same = [&](auto&& value) {
    for (std::size_t i = 1; i < group.ranks.size(); ++i)
      if (value(i) != value(0)) return false;
    return true;
  };
  if (group.peers.front() == kAnySource) return "any rank";
  if (is_same([&](std::size_t i) { return group.peers[i]; })) return fmt::format("rank {}", group.peers.front());
  if (is_same([&](std::size_t i) { return group.peers[i] - group.ranks[i]; }))
    return fmt::format("rank{:+d}", group.peers.front() - group.ranks.front());
  return "different ranks";
}

std::string tag_text(std::int32_t tag) { return tag == kAnyTag ? "any tag" : fmt::format("tag {}", tag); }

double since(const WhereReport& report, const ThreadNow& thread) {
  if (thread.since_realtime_ns == 0) return -1;
  return std::max(0.0, static_cast<double>(report.now_realtime_ns - thread.since_realtime_ns) * 1e-9);
}

std::string_view state(const RankNow& rank, const ThreadNow& thread) {
  if (thread.call != CallId::none) return info(thread.call).name;
  if (rank.is_alive && thread.is_alive) return "outside MPI";
  return rank.meta.is_finalized ? "finished" : "ended outside MPI";
}

std::string_view verb(Kind kind) { return kind == Kind::send ? "to" : kind == Kind::receive ? "from" : "on"; }

std::string groups_text(WhereReport& report) {
  // Call, first thing it waits for (kind, call, comm, tag), number of things; threads that have ended are left out.
  using Key = std::tuple<std::string, int, std::string, std::int32_t, std::size_t>;
  std::map<Key, Group> groups;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    for (const ThreadNow& thread : report.ranks[i].threads) {
      if (!thread.is_alive && thread.call == CallId::none) continue;
      Key key{state(report.ranks[i], thread), -1, "", 0, thread.waits.size()};
      std::int32_t peer = kAnySource;
      if (!thread.waits.empty()) {
        const Facts facts = facts_of(report, i, thread.waits.front());
        key = {std::string{state(report.ranks[i], thread)}, static_cast<int>(facts.kind), facts.comm, facts.tag,
               thread.waits.size()};
        peer = facts.peer;
      }
      Group& group = groups[key];
      group.ranks.push_back(report.ranks[i].meta.rank);
      group.peers.push_back(peer);
      group.since_s = std::max(group.since_s, since(report, thread));
    }
  }
  Table table{{{"ranks", Align::left}, {"call", Align::left}, {"waits for", Align::left}, {"since"}}};
  for (const auto& [key, group] : groups) {
    const auto& [call, kind, comm, tag, count] = key;
    std::string waits;
    if (kind == static_cast<int>(Kind::collective))
      waits = printable(comm);
    else if (kind >= 0)
      waits =
          fmt::format("{} {}, {}, {}", verb(static_cast<Kind>(kind)), peers_of(group), tag_text(tag), printable(comm));
    if (count > 1) waits += fmt::format(" and {} more", count - 1);
    std::vector<std::int32_t> ranks = group.ranks;
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    const std::size_t threads = group.ranks.size();
    table.add({ranges(ranks) + (threads > ranks.size() ? fmt::format(" ({} threads)", threads) : ""), call, waits,
               group.since_s < 0 ? "-" : human_duration(group.since_s)});
  }
  return table.text([](const std::string& title) { return title; });
}

/// Which ranks are whose, where there is a choice.
std::string worlds_text(const WhereReport& report) {
  if (report.worlds.size() < 2) return "";
  Table table{{{"world"}, {"ranks", Align::left}, {"started by", Align::left}}};
  for (std::size_t i = 0; i < report.worlds.size(); ++i) {
    const World& world = report.worlds[i];
    const std::int32_t last = world.first_rank + world.size - 1;
    table.add({fmt::format("{}", i + 1),
               world.size == 1 ? fmt::format("{}", last) : fmt::format("{}-{}", world.first_rank, last),
               world.parent < 0 ? "" : fmt::format("world {}", world.parent + 1)});
  }
  return table.text([](const std::string& title) { return title; }) + "\n";
}

std::string deadlock_text(WhereReport& report) {
  const Deadlock& deadlock = report.deadlock;
  if (deadlock.ranks.empty()) return "";
  std::string text =
      "\nDEADLOCK\n" +
      wrapped(fmt::format("Ranks {} cannot go on, whatever the others do.", ranges(deadlock.ranks)), 2, kTextWidth);
  const auto line = [&](std::int32_t rank, const std::string& next) {
    for (std::size_t i = 0; i < report.ranks.size(); ++i) {
      if (report.ranks[i].meta.rank != rank) continue;
      for (const ThreadNow& thread : report.ranks[i].threads) {
        if (thread.waits.empty()) continue;
        const Facts facts = facts_of(report, i, thread.waits.front());
        std::string what = fmt::format("{} is in {}", rank_name(report.worlds, rank), info(thread.call).name);
        what += facts.kind == Kind::collective
                    ? fmt::format(" on {}", printable(facts.comm))
                    : fmt::format(" {} {}, {}, on {}", verb(facts.kind),
                                  facts.peer == kAnySource ? "any rank" : fmt::format("rank {}", facts.peer),
                                  tag_text(facts.tag), printable(facts.comm));
        text += wrapped("* " + what + next, 2, kTextWidth);
        return;
      }
    }
  };
  for (std::size_t i = 0; i < deadlock.cycle.size(); ++i)
    line(deadlock.cycle[i], fmt::format(" and waits for rank {}", deadlock.cycle[(i + 1) % deadlock.cycle.size()]));
  if (!deadlock.ended.empty()) {
    if (deadlock.cycle.empty()) line(deadlock.ranks.front(), "");
    text += wrapped(fmt::format("They wait for ranks {}, which have finished.", ranges(deadlock.ended)), 2, kTextWidth);
  }
  return text;
}

}  // namespace

std::string where_text(WhereReport& report) {
  std::size_t alive = 0;
  for (const RankNow& rank : report.ranks) alive += rank.is_alive ? 1 : 0;
  std::string text = fmt::format("{} of {} ranks run\n\n", alive, report.ranks.size() + report.problems.size());
  text += worlds_text(report) + groups_text(report) + deadlock_text(report);
  for (const std::string& problem : report.problems)
    text += wrapped("Not looked at: " + printable(problem), 0, kTextWidth);
  return text;
}

std::string where_json(WhereReport& report) {
  using nlohmann::json;
  json ranks = json::array();
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankNow& rank = report.ranks[i];
    json threads = json::array();
    for (const ThreadNow& thread : rank.threads) {
      json waits = json::array();
      for (const WaitedFor& what : thread.waits) {
        const Facts facts = facts_of(report, i, what);
        json entry{{"kind", facts.kind == Kind::send      ? "send"
                            : facts.kind == Kind::receive ? "receive"
                                                          : "collective"},
                   {"call", info(facts.call).name},
                   {"communicator", printable(facts.comm)}};
        if (facts.kind != Kind::collective) {
          entry["peer"] = facts.peer == kAnySource ? json("any") : json(facts.peer);
          entry["tag"] = facts.tag == kAnyTag ? json("any") : json(facts.tag);
        }
        waits.push_back(std::move(entry));
      }
      const double seconds = since(report, thread);
      threads.push_back({{"thread", thread.thread},
                         {"kernel_tid", thread.kernel_tid},
                         {"alive", rank.is_alive && thread.is_alive},
                         {"call", thread.call == CallId::none ? json(nullptr) : json(info(thread.call).name)},
                         {"since_s", seconds < 0 ? json(nullptr) : json(seconds)},
                         {"calls", thread.calls},
                         {"waits", std::move(waits)}});
    }
    ranks.push_back({{"rank", rank.meta.rank},
                     {"world", rank.meta.world + 1},
                     {"rank_in_world", rank.meta.rank - rank.meta.first_rank},
                     {"host", printable(rank.meta.hostname)},
                     {"pid", rank.meta.pid},
                     {"alive", rank.is_alive},
                     {"finalized", rank.meta.is_finalized},
                     {"threads", std::move(threads)}});
  }
  json problems = json::array();
  for (const std::string& problem : report.problems) problems.push_back(printable(problem));
  const json whole{
      {"schema", "meridian-where"},
      {"version", 1},
      {"ranks", std::move(ranks)},
      {"deadlock",
       {{"ranks", report.deadlock.ranks}, {"cycle", report.deadlock.cycle}, {"ended", report.deadlock.ended}}},
      {"problems", std::move(problems)}};
  return whole.dump(2) + "\n";
}

}  // namespace meridian
