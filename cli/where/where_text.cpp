// SPDX-License-Identifier: Apache-2.0
#include "cli/where/where_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/where/call_places.hpp"
#include "summary/units.hpp"
#include "trace/model/lock_kinds.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

using Kind = WaitedFor::Kind;

/// Ascending numbers as "0-2,5".
template <class Number>
std::string ranges(const std::vector<Number>& ranks) {
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
  std::vector<std::int32_t> peers;  // one for each rank: the peer of the first object that it waits for
  std::uint64_t polls = 0;          // of all
  double since_s = 0;               // longest
};

constexpr int kPolls = -2;  // in the place of a Kind

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

std::string_view state(const RankNow& rank, const ThreadNow& thread) {
  if (thread.call != CallId::none) return info(thread.call).name;
  if (rank.is_alive && thread.is_alive) return "outside MPI";
  return rank.meta.is_finalized ? "finished" : "ended outside MPI";
}

/// Whether a thread has not ended, or ended within a call.
bool is_there(const ThreadNow& thread) { return thread.is_alive || thread.call != CallId::none; }

std::string_view verb(Kind kind) { return kind == Kind::send ? "to" : kind == Kind::receive ? "from" : "on"; }

bool is_in_mpi(Kind kind) { return kind == Kind::send || kind == Kind::receive || kind == Kind::collective; }

/// Describes what a thread waits for from other threads of its process.
std::string local_wait_text(const WaitedFor& what) {
  if (what.kind == Kind::thread)
    return what.threads.empty() ? "the end of a thread" : fmt::format("the end of thread {}", what.threads.front());
  std::string lock = fmt::format("a {}", names_of(what.lock).text);
  if (what.kind == Kind::others || what.threads.empty()) return lock;
  if (what.threads.size() == 1) return fmt::format("{} that thread {} has", lock, what.threads.front());
  std::vector<std::uint32_t> threads = what.threads;
  std::ranges::sort(threads);
  return fmt::format("{} that one of the threads {} has", lock, ranges(threads));
}

/// A call, and where a thread sleeps, are shown with their lines. A thread that computes is in another line at each look, so it is shown with
/// function and file.
std::string place_text(const ThreadNow& thread) {
  const CallPlace& place = thread.place;
  const std::string where = short_place(place);
  if (where.empty()) return "";
  const std::string function = without_parameters(without_copy_marks(place.function));
  if (thread.call == CallId::none && thread.is_asleep)
    return printable(function.empty() ? "asleep at " + where : fmt::format("asleep in {} ({})", function, where));
  if (thread.call == CallId::none) {
    const std::string& file = place.file.empty() ? place.module : place.file;
    return printable(fmt::format("in {} ({})", function, file.substr(file.rfind('/') + 1)));
  }
  return printable(function.empty() ? "at " + where : fmt::format("at {} in {}", where, function));
}

std::string groups_text(WhereReport& report) {
  // The call; then, of the first object that it waits for: kind, communicator or text, and tag; the number of objects;
  // the source location. Threads that have ended are omitted, unless a rank has no others.
  using Key = std::tuple<std::string, int, std::string, std::int32_t, std::size_t, std::string>;
  std::map<Key, Group> groups;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const std::vector<ThreadNow>& threads = report.ranks[i].threads;
    const bool has_any = std::ranges::any_of(threads, is_there);
    for (const ThreadNow& thread : threads) {
      if (!is_there(thread) && (has_any || &thread != &threads.front())) continue;
      const std::string place = place_text(thread);
      Key key{state(report.ranks[i], thread), -1, "", 0, thread.waits.size(), place};
      std::int32_t peer = kAnySource;
      if (!thread.waits.empty()) {
        const WaitedFor& what = thread.waits.front();
        const WaitFacts facts = facts_of(report, i, what);
        std::get<1>(key) = static_cast<int>(what.kind);
        std::get<2>(key) = is_in_mpi(what.kind) ? facts.comm : local_wait_text(what);
        std::get<3>(key) = is_in_mpi(what.kind) ? facts.tag : 0;
        peer = facts.peer;
      }
      if (thread.polls != 0) std::get<1>(key) = kPolls;
      Group& group = groups[key];
      group.polls += thread.polls;
      group.ranks.push_back(report.ranks[i].meta.rank);
      group.peers.push_back(peer);
      group.since_s = std::max(group.since_s, seconds_in(report, thread));
    }
  }
  Table table{{{"ranks", Align::left}, {"call", Align::left}, {"waits for", Align::left}, {"since"}}};
  for (const auto& [key, group] : groups) {
    const auto& [call, kind, what, tag, count, place] = key;
    std::string waits = printable(what);
    if (kind == static_cast<int>(Kind::send) || kind == static_cast<int>(Kind::receive))
      waits =
          fmt::format("{} {}, {}, {}", verb(static_cast<Kind>(kind)), peers_of(group), tag_text(tag), printable(what));
    if (kind == kPolls) waits = fmt::format("found nothing in {} polls", group.polls);
    if (count > 1) waits += fmt::format(" and {} more", count - 1);
    std::vector<std::int32_t> ranks = group.ranks;
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    const std::size_t threads = group.ranks.size();
    const bool is_place_below = !waits.empty() && !place.empty();
    table.add({ranges(ranks) + (threads > ranks.size() ? fmt::format(" ({} threads)", threads) : ""), call,
               is_place_below ? waits : waits + place, group.since_s < 0 ? "-" : human_duration(group.since_s)});
    if (is_place_below) table.add({"", "", place});
  }
  return table.text([](const std::string& title) { return title; });
}

/// The ranks of each world, if there are several.
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

/// Section DEADLOCK.
class DeadlockText {
 public:
  explicit DeadlockText(WhereReport& report) : report_{report}, deadlock_{report.deadlock} {
    for (std::size_t i = 0; i < report.ranks.size(); ++i) index_of_[report.ranks[i].meta.rank] = i;
  }

  std::string text() {
    if (deadlock_.threads.empty()) return "";
    text_ = "\nDEADLOCK\n";
    who();
    for (std::size_t i = 0; i < deadlock_.cycle.size(); ++i) {
      const Party& next = deadlock_.cycle[(i + 1) % deadlock_.cycle.size()];
      line(deadlock_.cycle[i], &next);
    }
    if (deadlock_.cycle.empty()) line(deadlock_.threads.front(), nullptr);
    for (const Party& ended : deadlock_.ended) add(fmt::format("They wait for {}, which has ended.", name(ended)));
    return text_;
  }

 private:
  void add(const std::string& sentence) { text_ += wrapped(sentence, 2, prose_width()); }

  std::size_t threads_of(std::int32_t rank) const {
    const auto index = index_of_.find(rank);
    if (index == index_of_.end()) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(report_.ranks[index->second].threads, &ThreadNow::is_alive));
  }

  std::string name(const Party& party) const {
    const std::string rank = rank_name(report_.worlds, party.rank);
    return party.thread == kAnyThread || threads_of(party.rank) < 2
               ? rank
               : fmt::format("thread {} of {}", party.thread, rank);
  }

  void who() {
    std::map<std::int32_t, std::vector<std::int64_t>> threads;
    for (const Party& party : deadlock_.threads) threads[party.rank].push_back(party.thread);
    std::vector<std::int32_t> whole;
    std::map<std::vector<std::int64_t>, std::vector<std::int32_t>> partly;
    for (const auto& [rank, stuck] : threads)
      if (stuck.size() >= threads_of(rank))
        whole.push_back(rank);
      else
        partly[stuck].push_back(rank);
    if (!whole.empty())
      add(fmt::format("Rank{} {} cannot proceed, whatever the others do.", whole.size() == 1 ? "" : "s",
                      ranges(whole)));
    for (const auto& [stuck, ranks] : partly)
      add(fmt::format("Thread{} {} of rank{} {} cannot proceed, whatever the others do.", stuck.size() == 1 ? "" : "s",
                      ranges(stuck), ranks.size() == 1 ? "" : "s", ranges(ranks)));
  }

  /// "rank 0 is in MPI_Recv from rank 1, ... and waits for rank 1"; next: may be null.
  void line(const Party& party, const Party* next) {
    const std::size_t index = index_of_.at(party.rank);
    for (const ThreadNow& thread : report_.ranks[index].threads) {
      if (thread.thread != party.thread || thread.waits.empty()) continue;
      const std::string place = place_text(thread);
      add(fmt::format("* {} is in {}{}{}{}", name(party), info(thread.call).name, wait_text(index, thread, next),
                      place.empty() ? "" : " " + place,
                      next == nullptr ? "" : fmt::format(" and waits for {}", name(*next))));
    }
  }

  std::string wait_text(std::size_t index, const ThreadNow& thread, const Party* next) {
    const WaitedFor* what = &thread.waits.front();
    for (const WaitedFor& each : thread.waits)
      if (next != nullptr && is_in_mpi(each.kind) && facts_of(report_, index, each).peer == next->rank) {
        what = &each;
        break;
      }
    if (!is_in_mpi(what->kind)) return fmt::format(" for {}", local_wait_text(*what));
    const WaitFacts facts = facts_of(report_, index, *what);
    if (facts.kind == Kind::collective) return fmt::format(" on {}", printable(facts.comm));
    return fmt::format(" {} {}, {}, on {}", verb(facts.kind),
                       facts.peer == kAnySource ? "any rank" : fmt::format("rank {}", facts.peer), tag_text(facts.tag),
                       printable(facts.comm));
  }

  WhereReport& report_;
  const Deadlock& deadlock_;
  std::map<std::int32_t, std::size_t> index_of_;
  std::string text_;
};

}  // namespace

std::string where_text(WhereReport& report) {
  std::size_t alive = 0;
  for (const RankNow& rank : report.ranks) alive += rank.is_alive ? 1 : 0;
  std::string text = fmt::format("{} of {} ranks run\n\n", alive, report.ranks.size() + report.problems.size());
  text += worlds_text(report) + groups_text(report) + DeadlockText{report}.text();
  for (const std::string& problem : report.problems)
    text += wrapped("Not examined: " + printable(problem), 0, prose_width());
  return text;
}

}  // namespace meridian
